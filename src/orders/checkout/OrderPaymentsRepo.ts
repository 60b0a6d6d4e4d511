import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Order, OrderId } from "../Order.ts"

const readOrders = Rows.all(Order)
const readIds = Rows.all(Schema.Struct({ id: OrderId }))

/** The orders of one payment from outside. */
export class OrderPaymentsRepo extends Context.Service<OrderPaymentsRepo>()("app/orders/OrderPaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = (id: PaymentIntentId) => sql`payment_intent_id = ${id} AND status = 'waiting_payment'`

    return {
      waiting: (id: PaymentIntentId) =>
        sql`SELECT * FROM proxy_order WHERE ${waiting(id)} ORDER BY id FOR UPDATE`.pipe(readOrders),

      /** Moves the orders from `waiting_payment` to `paid`. The recovery job provisions them. */
      paid: Effect.fnUntraced(function* (id: PaymentIntentId) {
        const now = DateTime.toDate(yield* DateTime.now)
        const change = { status: "paid", provision_at: now, updated_at: now }
        yield* sql`UPDATE proxy_order SET ${sql.update(change)} WHERE ${waiting(id)}`
      }, Effect.orDie),

      /** Moves the orders from `waiting_payment` to `cancelled`. Returns the cancelled orders. */
      cancel: Effect.fnUntraced(function* (id: PaymentIntentId) {
        const now = DateTime.toDate(yield* DateTime.now)
        const change = { status: "cancelled", proxy_status: "cancelled", updated_at: now }
        const cancelled = readIds(sql`UPDATE proxy_order SET ${sql.update(change)} WHERE ${waiting(id)} RETURNING id`)
        return (yield* cancelled).map(({ id }) => id)
      }),

      /** Stores the address of the payment page in the orders of the payment. */
      link: Effect.fnUntraced(function* (id: PaymentIntentId, payment_url: string) {
        const change = { payment_url, updated_at: DateTime.toDate(yield* DateTime.now) }
        yield* sql`UPDATE proxy_order SET ${sql.update(change)} WHERE payment_intent_id = ${id}`
      }, Effect.orDie),

      /** Removes the cancelled orders of a payment that the gateway did not open. */
      remove: (id: PaymentIntentId) =>
        Effect.orDie(sql`DELETE FROM proxy_order WHERE payment_intent_id = ${id} AND status = 'cancelled'`),

      /** Removes at most `limit` cancelled unpaid orders that were created before `before`. Returns their number. */
      removeNeverPaid: (before: DateTime.Utc, limit: number) =>
        sql`
          DELETE FROM proxy_order WHERE id IN (
            SELECT id FROM proxy_order
            WHERE status = 'cancelled' AND provider_proxy_id IS NULL AND payment_intent_id IS NOT NULL
              AND created_at < ${DateTime.toDate(before)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `.pipe(
          Effect.map((removed) => removed.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
