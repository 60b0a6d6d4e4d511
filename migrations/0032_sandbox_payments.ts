import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Finds the payments of an account that spent sandbox money: while the sandbox is off, their orders grant no free
 * check.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX wallet_transaction_of_sandbox ON wallet_transaction (user_id)
    WHERE transaction_type = 'payment' AND sandbox_before > sandbox_after
  `
})
