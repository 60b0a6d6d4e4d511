import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Order, OrderId } from "../Order.ts"

const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Order))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: OrderId })))

/** The orders of one payment from outside. */
export class OrderPaymentsRepo extends Context.Service<OrderPaymentsRepo>()("app/orders/OrderPaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = (id: PaymentIntentId) => sql`payment_intent_id = ${id} AND status = 'waiting_payment'`

    return {
      waiting: (id: PaymentIntentId) =>
        sql`SELECT * FROM proxy_order WHERE ${waiting(id)} ORDER BY id FOR UPDATE`.pipe(
          Effect.flatMap(decodeOrders),
          Effect.orDie
        ),

      /** `waiting_payment` to `paid`, to be provisioned by whoever comes first. */
      paid: Effect.fnUntraced(function* (id: PaymentIntentId) {
        const now = DateTime.toDate(yield* DateTime.now)
        const change = { status: "paid", provision_at: now, updated_at: now }
        yield* sql`UPDATE proxy_order SET ${sql.update(change)} WHERE ${waiting(id)}`
      }, Effect.orDie),

      /** `waiting_payment` to `cancelled`; answers which orders. */
      cancel: Effect.fnUntraced(function* (id: PaymentIntentId) {
        const now = DateTime.toDate(yield* DateTime.now)
        const change = { status: "cancelled", proxy_status: "cancelled", updated_at: now }
        const rows = yield* sql`UPDATE proxy_order SET ${sql.update(change)} WHERE ${waiting(id)} RETURNING id`
        return (yield* decodeIds(rows)).map(({ id }) => id)
      }, Effect.orDie),

      /** Where the payment is made, for its orders to tell. */
      link: Effect.fnUntraced(function* (id: PaymentIntentId, payment_url: string) {
        const change = { payment_url, updated_at: DateTime.toDate(yield* DateTime.now) }
        yield* sql`UPDATE proxy_order SET ${sql.update(change)} WHERE payment_intent_id = ${id}`
      }, Effect.orDie),

      /** Takes back the cancelled orders of a payment that could not be asked for. */
      remove: (id: PaymentIntentId) =>
        Effect.orDie(sql`DELETE FROM proxy_order WHERE payment_intent_id = ${id} AND status = 'cancelled'`),

      /** Removes unpaid orders that were cancelled and date from before then, at most `limit`; answers their number. */
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
