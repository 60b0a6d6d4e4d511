import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"

const proxies = Rows.all(GatewayProxy)
const revisions = Rows.all(Schema.Struct({ id: GatewayProxyId, revision: Schema.Int }))

/** Reads the proxies that a gateway process serves, and listens for their changes. */
export class LiveProxiesRepo extends Context.Service<LiveProxiesRepo>()("app/gateway/LiveProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      byIds: (ids: ReadonlyArray<GatewayProxyId>) =>
        proxies(sql`SELECT * FROM gateway_proxy WHERE id = ANY (${ids}::uuid[])`),

      /** Closes at most 1,000 open proxies that expired before a time. */
      closeExpired: ({ before, now }: { readonly before: DateTime.Utc; readonly now: DateTime.Utc }) =>
        sql`
          UPDATE gateway_proxy SET status = 'closed', updated_at = ${DateTime.toDate(now)} WHERE id IN (
            SELECT id FROM gateway_proxy WHERE status = 'open' AND expires_at < ${DateTime.toDate(before)}
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
          )
        `,

      /** Lists all open proxies. The gateway reads a whole row only when its revision has changed. */
      revisions: revisions(sql`SELECT id, revision FROM gateway_proxy WHERE status = 'open'`),

      /** Receives the ids of changed proxies. Fails when the connection is lost. */
      changes: sql.listen("gateway_proxy")
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
