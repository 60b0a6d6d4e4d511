import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  yield* sums
  yield* enrolments
})

/**
 * Limits of staff count sums, so that small actions do not add up to a large one: of a customer in 30 days and of a person in
 * a day. Rows that the operator has changed stay.
 */
const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE staff_limit SET per_customer_30d = 100000000, per_staff_day = 300000000
    WHERE role = 'support' AND action = 'refund_wallet' AND currency = 'USD'
      AND per_action = 50000000 AND num_nonnulls(per_customer_30d, per_staff_day) = 0
  `
  yield* sql`
    UPDATE staff_limit SET per_customer_30d = 2000000000, per_staff_day = 5000000000
    WHERE role = 'finance' AND currency = 'USD' AND per_action = 500000000
      AND num_nonnulls(per_customer_30d, per_staff_day) = 0
  `
})

/** Each sign-in that sets an authenticator app up has a secret of its own. The person gets the one that a code confirms. */
const enrolments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    DELETE FROM staff_session s USING staff m
    WHERE m.id = s.staff_id AND m.totp_confirmed_at IS NULL AND s.confirmed_at IS NULL
  `
  yield* sql`UPDATE staff SET totp_secret = NULL WHERE totp_confirmed_at IS NULL`
  yield* sql`
    ALTER TABLE staff ADD CONSTRAINT staff_totp_confirmed CHECK ((totp_secret IS NULL) = (totp_confirmed_at IS NULL))
  `
  yield* sql`
    ALTER TABLE staff_session ADD COLUMN totp_secret text CHECK (totp_secret ~ '^[A-Z2-7]{32}$'),
      ADD CONSTRAINT staff_session_offers CHECK (totp_secret IS NULL OR confirmed_at IS NULL)
  `
})
