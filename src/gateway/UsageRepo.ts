import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { GatewayProxyId } from "./GatewayProxy.ts"

/** `count` whole hours or days (UTC) that begin at `from`. Each is one point. */
export interface UsageWindow {
  readonly from: DateTime.Utc
  readonly unit: "hour" | "day"
  readonly count: number
}

/** The sum of the bytes of several proxies, in both directions. */
const UsageSum = Schema.Struct({
  /** The index of the point in which the bytes passed. -1: any time before the window. */
  point: Schema.Int,
  /** The index of the point in which their cycle ended. Null: the cycle still runs. */
  ended_in: Schema.NullOr(Schema.Int),
  bytes: Schema.BigInt
})
export type UsageSum = typeof UsageSum.Type

const usageSums = Rows.all(UsageSum)
const widthSeconds = { hour: 3_600, day: 86_400 }

export class UsageRepo extends Context.Service<UsageRepo>()("app/gateway/UsageRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const usage = {
      hour: sql`SELECT proxy_id, cycle, bytes, hour AS at FROM gateway_usage`,
      day: sql`SELECT proxy_id, cycle, bytes, day AS at FROM gateway_usage_day`
    }

    /** The bytes of a cycle before the window are the bytes of the whole cycle minus its bytes since the window began. */
    const sums = (ids: ReadonlyArray<GatewayProxyId>, { count, from, unit }: UsageWindow) => {
      const begin = DateTime.toDate(from)
      const end = DateTime.toDate(DateTime.add(from, { seconds: widthSeconds[unit] * count }))
      const point = (column: string) =>
        sql`floor(extract(epoch FROM ${sql(column)} - ${begin}::timestamptz) / ${widthSeconds[unit]}::int)::int`
      return usageSums(sql`
          WITH cycle AS (
            SELECT proxy_id, cycle, bytes, ${point("ended_at")} AS ended_in FROM gateway_cycle
            WHERE proxy_id = ANY (${ids}::uuid[])
          ), passed AS (
            SELECT proxy_id, cycle, at, bytes FROM (${usage[unit]}) usage
            WHERE proxy_id = ANY (${ids}::uuid[]) AND at >= ${begin}
          ), since AS (
            SELECT proxy_id, cycle, sum(bytes) AS bytes FROM passed GROUP BY proxy_id, cycle
          )
          SELECT point, ended_in, sum(bytes)::bigint AS bytes FROM (
            SELECT -1 AS point, ended_in, cycle.bytes - coalesce(since.bytes, 0) AS bytes
            FROM cycle LEFT JOIN since USING (proxy_id, cycle)
            WHERE ended_in IS NULL OR ended_in > 0
            UNION ALL
            SELECT ${point("at")}, ended_in, sum(passed.bytes) FROM passed JOIN cycle USING (proxy_id, cycle)
            WHERE at < ${end} GROUP BY at, ended_in
          ) part
          GROUP BY point, ended_in HAVING sum(bytes) > 0 ORDER BY point, ended_in
        `)
    }

    return { sums }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
