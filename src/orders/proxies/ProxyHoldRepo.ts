import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, type OrderId } from "../Order.ts"

/** `is_stopped` is true while a restriction stops the service of the account, or the proxy has a secret login. */
const readHeld = Rows.first(Schema.Struct({ ...Order.fields, is_stopped: Schema.Boolean }))

export class ProxyHoldRepo extends Context.Service<ProxyHoldRepo>()("app/orders/ProxyHoldRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Takes the proxy of an order. Returns none when another operation holds it. */
      take: (id: OrderId, now: DateTime.Utc, until: DateTime.Utc) =>
        sql`
          UPDATE proxy_order SET operation_until = ${DateTime.toDate(until)}
          WHERE id = ${id} AND (operation_until IS NULL OR operation_until <= ${DateTime.toDate(now)})
          RETURNING *, EXISTS (
            SELECT FROM user_account a WHERE a.id = user_id AND (a.access_blocked OR a.service_blocked)
          ) OR EXISTS (
            SELECT FROM proxy_stop s WHERE s.order_id = proxy_order.id
          ) AS is_stopped
        `.pipe(readHeld),

      /** Gives the proxy back, unless another operation has taken it after the lease ended. */
      leave: (id: OrderId, until: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET operation_until = NULL
          WHERE id = ${id} AND operation_until = ${DateTime.toDate(until)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
