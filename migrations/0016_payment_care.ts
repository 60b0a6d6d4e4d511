import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Telegram repeats the secret itself in each of its calls.
  yield* sql`
    UPDATE payment_callback SET headers = headers - 'x-telegram-bot-api-secret-token'
    WHERE jsonb_exists(headers, 'x-telegram-bot-api-secret-token')
  `
  yield* sql`
    ALTER TABLE payment_callback
      ADD CONSTRAINT payment_callback_keeps_no_secret
        CHECK (NOT jsonb_exists(headers, 'x-telegram-bot-api-secret-token')),
      DROP CONSTRAINT payment_callback_outcome_check,
      ADD CONSTRAINT payment_callback_outcome_check CHECK (outcome IN ('received', 'refused', 'unchecked', 'ignored',
        'unmatched', 'duplicate', 'declined', 'paid', 'credited'))
  `
  yield* sql`CREATE INDEX payment_callback_ignored ON payment_callback (received_at) WHERE outcome = 'ignored'`
  yield* sql`CREATE INDEX payment_intent_open ON payment_intent (user_id) WHERE status = 'pending'`
})
