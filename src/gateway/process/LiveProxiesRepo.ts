import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"

/** What a gateway process reads: the proxies it is to serve, and word of their changes. */
export class LiveProxiesRepo extends Context.Service<LiveProxiesRepo>()("app/gateway/LiveProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const byIds = SqlSchema.findAll({
      Request: Schema.Array(GatewayProxyId),
      Result: GatewayProxy,
      execute: (ids) => sql`SELECT * FROM gateway_proxy WHERE id = ANY (${ids}::uuid[])`
    })

    const closeExpired = SqlSchema.void({
      Request: Schema.Struct({ before: Schema.DateTimeUtcFromDate, now: Schema.DateTimeUtcFromDate }),
      execute: ({ before, now }) =>
        sql`
          UPDATE gateway_proxy SET status = 'closed', updated_at = ${now} WHERE id IN (
            SELECT id FROM gateway_proxy WHERE status = 'open' AND expires_at < ${before}
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
          )
        `
    })

    return {
      byIds,
      closeExpired,
      /** Every open proxy, cheaply: the rows themselves are read only where the revision is another. */
      revisions: sql<{ id: GatewayProxyId; revision: number }>`
        SELECT id, revision FROM gateway_proxy WHERE status = 'open'
      `,
      /** The ids of changed proxies, as they change; fails when the connection is lost. */
      changes: sql.listen("gateway_proxy")
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
