import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A payment counts its orders, so that an account's orders and deposits without payment can be bounded. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE payment_intent ADD COLUMN items integer NOT NULL DEFAULT 1 CHECK (items > 0)`
  // Orders that were never paid, until a job removes them.
  yield* sql`
    CREATE INDEX proxy_order_never_paid ON proxy_order (updated_at)
    WHERE status = 'cancelled' AND provider_proxy_id IS NULL AND payment_intent_id IS NOT NULL
  `
})
