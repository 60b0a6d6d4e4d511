import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A notification may name a payment or a webhook endpoint, as it may name an order. Older notifications name none. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE notification
      ADD COLUMN payment_intent_id uuid,
      ADD COLUMN endpoint_id uuid,
      ADD CONSTRAINT notification_subject CHECK (
        num_nonnulls(order_id, payment_intent_id, endpoint_id) <= 1
          AND (payment_intent_id IS NULL OR kind = 'deposit_credited')
          AND (endpoint_id IS NULL OR kind IN ('webhook_failing', 'webhook_disabled'))
      )
  `
})
