import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Allows notices about refunds and disputes of an account's payments, and finds sandbox money without reading every
 * wallet.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE notification
      DROP CONSTRAINT notification_kind_check,
      ADD CONSTRAINT notification_kind_check CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed',
        'deposit_credited', 'provisioning_failed', 'change_failed', 'proxy_reduced', 'proxy_ended', 'webhook_failing',
        'webhook_disabled', 'payment_reversed', 'payment_returned'))
  `
  yield* sql`CREATE INDEX wallet_with_sandbox_money ON wallet (user_id) WHERE sandbox_balance > 0`
})
