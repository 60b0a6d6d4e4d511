import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A payment counts its orders, so that an account's unpaid orders and deposits can be limited. A failed entry never
 * counted and can be removed; the ledger keeps every other entry.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE payment_intent ADD COLUMN items integer NOT NULL DEFAULT 1 CHECK (items > 0)`
  // Orders and payments that were never paid, until a job removes them. The column never changes, so other updates of
  // an order do not touch the index.
  yield* sql`
    CREATE INDEX proxy_order_never_paid ON proxy_order (created_at)
    WHERE status = 'cancelled' AND provider_proxy_id IS NULL AND payment_intent_id IS NOT NULL
  `
  yield* sql`
    CREATE INDEX payment_intent_never_paid ON payment_intent (created_at) WHERE status IN ('failed', 'expired')
  `
  yield* sql`DROP TRIGGER wallet_transaction_keep ON wallet_transaction`
  yield* sql`
    CREATE TRIGGER wallet_transaction_keep BEFORE DELETE ON wallet_transaction
    FOR EACH ROW WHEN (OLD.status <> 'failed') EXECUTE FUNCTION ledger_refuse()
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_keep_all BEFORE TRUNCATE ON wallet_transaction
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
})
