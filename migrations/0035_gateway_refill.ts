import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Distinguishes a gateway that will hold more ports from one that has all it can get: an order waits for the first
 * only.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE gateway_holder
      -- The gateway takes more ports when no more than this number of its own are unsold. Null: there are no more.
      ADD COLUMN refills_at integer DEFAULT 0 CHECK (refills_at >= 0)
  `
})
