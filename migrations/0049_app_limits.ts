import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The daily limit of a connected app, in micro-dollars, and the payments that count towards it: each payment of an app names
 * its grant, as each payment of an API key names its key.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE oauth_grant ADD COLUMN daily_spend_limit_usd bigint
      CONSTRAINT oauth_grant_limit CHECK (daily_spend_limit_usd > 0)
  `
  // The instances keep the scopes and the limit in memory.
  yield* sql`DROP TRIGGER oauth_grant_changed ON oauth_grant`
  yield* sql`
    CREATE TRIGGER oauth_grant_changed AFTER UPDATE OF scopes, daily_spend_limit_usd ON oauth_grant
    FOR EACH ROW
    WHEN ((NEW.scopes, NEW.daily_spend_limit_usd) IS DISTINCT FROM (OLD.scopes, OLD.daily_spend_limit_usd))
    EXECUTE FUNCTION oauth_grant_changed()
  `

  // An entry outlives the grant, hence no foreign key.
  yield* sql`
    ALTER TABLE wallet_transaction ADD COLUMN grant_id uuid,
      ADD CONSTRAINT wallet_transaction_spent_by_app CHECK (
        grant_id IS NULL OR (api_key_id IS NULL AND transaction_type = 'payment' AND amount_usd IS NOT NULL)
      )
  `
  yield* sql`
    CREATE INDEX wallet_transaction_spent_by_app_day ON wallet_transaction (grant_id, created_at)
    WHERE grant_id IS NOT NULL
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_keeps_app BEFORE UPDATE ON wallet_transaction
    FOR EACH ROW WHEN (NEW.grant_id IS DISTINCT FROM OLD.grant_id) EXECUTE FUNCTION ledger_refuse()
  `
})
