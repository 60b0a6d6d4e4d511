import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { OrderId } from "../Order.ts"

const ProxyStop = Schema.Struct({
  order_id: OrderId,
  task: Schema.Literals(["stop", "return", "new_login"]),
  is_exposed: Schema.Boolean,
  stopped_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ProxyStop = typeof ProxyStop.Type

const readIds = Rows.all(Schema.Struct({ order_id: OrderId }))
const readStop = Rows.first(ProxyStop)

/** The logins that have to change at vendors, of proxies whose account is restricted. */
export class ProxyStopsRepo extends Context.Service<ProxyStopsRepo>()("app/orders/ProxyStopsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Claims due tasks until `lease`. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_stop SET try_at = ${DateTime.toDate(lease)} WHERE order_id IN (
            SELECT order_id FROM proxy_stop WHERE try_at <= ${DateTime.toDate(now)}
            ORDER BY try_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING order_id
        `.pipe(
          readIds,
          Effect.map((rows) => rows.map(({ order_id }) => order_id))
        ),

      /** Reads the present task: it may have changed since the claim. */
      find: (id: OrderId) => readStop(sql`SELECT * FROM proxy_stop WHERE order_id = ${id}`),

      /** Records that no client can use the proxy, unless it has to come back in the meantime. */
      stopped: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_stop SET stopped_at = ${DateTime.toDate(now)}, try_at = NULL, detail = NULL,
            updated_at = ${DateTime.toDate(now)}
          WHERE order_id = ${id} AND task = 'stop'
        `),

      /** Records why a task was not done. It is due again at `again`. */
      failed: ({ order_id, task }: ProxyStop, detail: string, now: DateTime.Utc, again: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_stop SET detail = ${detail}, try_at = ${DateTime.toDate(again)}, updated_at = ${DateTime.toDate(now)}
          WHERE order_id = ${order_id} AND task = ${task}
        `),

      /** Removes a task, unless another one has replaced it. */
      remove: ({ order_id, task }: ProxyStop) =>
        Effect.orDie(sql`DELETE FROM proxy_stop WHERE order_id = ${order_id} AND task = ${task}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
