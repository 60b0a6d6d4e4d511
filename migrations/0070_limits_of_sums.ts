import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Limits of staff count sums, so that small actions do not add up to a large one: of a customer in 30 days and of a person in
 * a day. Rows that the operator has changed stay.
 */
export default Effect.gen(function* () {
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
