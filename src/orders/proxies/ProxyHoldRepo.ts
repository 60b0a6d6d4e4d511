import { Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Order, type OrderId } from "../Order.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Order))

export class ProxyHoldRepo extends Context.Service<ProxyHoldRepo>()("app/orders/ProxyHoldRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** The order, when nobody else has its proxy. */
      take: (id: OrderId, now: DateTime.Utc, until: DateTime.Utc) =>
        sql`
          UPDATE proxy_order SET operation_until = ${DateTime.toDate(until)}
          WHERE id = ${id} AND (operation_until IS NULL OR operation_until <= ${DateTime.toDate(now)})
          RETURNING *
        `.pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => Arr.head(rows)),
          Effect.orDie
        ),

      /** Leaves the proxy to others, unless somebody has taken it after the lease had run out. */
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
