import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, type OrderId } from "../Order.ts"

const readOrder = Rows.first(Order)

export class ProxyHoldRepo extends Context.Service<ProxyHoldRepo>()("app/orders/ProxyHoldRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Takes the proxy of an order. Returns none when another operation holds it. */
      take: (id: OrderId, now: DateTime.Utc, until: DateTime.Utc) =>
        sql`
          UPDATE proxy_order SET operation_until = ${DateTime.toDate(until)}
          WHERE id = ${id} AND (operation_until IS NULL OR operation_until <= ${DateTime.toDate(now)})
          RETURNING *
        `.pipe(readOrder),

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
