import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { GatewayProxyId } from "./GatewayProxy.ts"

/** Whole hours or days (UTC): so many points from `from` on. */
const UsageWindow = Schema.Struct({
  from: Schema.DateTimeUtcFromDate,
  unit: Schema.Literals(["hour", "day"]),
  count: Schema.Int
})
export type UsageWindow = typeof UsageWindow.Type

/** Bytes of some proxies together, both directions. */
const UsageSum = Schema.Struct({
  /** The point they passed in; -1 is any time before the window. */
  point: Schema.Int,
  /** The point their cycle ended in; null: it runs. */
  ended_in: Schema.NullOr(Schema.Int),
  bytes: Schema.BigInt
})
export type UsageSum = typeof UsageSum.Type

export class UsageRepo extends Context.Service<UsageRepo>()("app/gateway/UsageRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const widthSeconds = { hour: 3_600, day: 86_400 }
    const usage = {
      hour: sql`SELECT proxy_id, cycle, bytes, hour AS at FROM gateway_usage`,
      day: sql`SELECT proxy_id, cycle, bytes, day AS at FROM gateway_usage_day`
    }

    /** What a cycle passed before the window is what the whole cycle passed less what it passed since. */
    const sums = SqlSchema.findAll({
      Request: Schema.Struct({ ids: Schema.Array(GatewayProxyId), ...UsageWindow.fields }),
      Result: UsageSum,
      execute: ({ count, from, ids, unit }) => {
        const point = (column: string) =>
          sql`floor(extract(epoch FROM ${sql(column)} - ${from}::timestamptz) / ${widthSeconds[unit]}::int)::int`
        return sql`
          WITH cycle AS (
            SELECT proxy_id, cycle, bytes, ${point("ended_at")} AS ended_in FROM gateway_cycle
            WHERE proxy_id = ANY (${ids}::uuid[])
          ), passed AS (
            SELECT proxy_id, cycle, ${point("at")} AS point, bytes FROM (${usage[unit]}) usage
            WHERE proxy_id = ANY (${ids}::uuid[]) AND at >= ${from}
          ), since AS (
            SELECT proxy_id, cycle, sum(bytes) AS bytes FROM passed GROUP BY proxy_id, cycle
          )
          SELECT point, ended_in, sum(bytes)::bigint AS bytes FROM (
            SELECT -1 AS point, ended_in, cycle.bytes - coalesce(since.bytes, 0) AS bytes
            FROM cycle LEFT JOIN since USING (proxy_id, cycle)
            WHERE ended_in IS NULL OR ended_in > 0
            UNION ALL
            SELECT point, ended_in, passed.bytes FROM passed JOIN cycle USING (proxy_id, cycle)
            WHERE point < ${count}::int
          ) part
          GROUP BY point, ended_in HAVING sum(bytes) > 0 ORDER BY point, ended_in
        `
      }
    })

    return {
      sums: (ids: ReadonlyArray<GatewayProxyId>, window: UsageWindow) => Effect.orDie(sums({ ids, ...window }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
