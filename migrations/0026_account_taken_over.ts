import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A password reset by mail that also proves the address hands the account over: its earlier holder may have registered
 * it with another person's address. Everything that acts for the earlier holder ends in the same transaction: API keys,
 * webhook endpoints with their deliveries, and renewals from the wallet. Sessions, known browsers and OAuth connections
 * end with every password change.
 *
 * Orders are locked before endpoints, as in a change of a proxy's status, so that no deadlock arises.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION user_account_taken_over() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE proxy_order SET auto_renew = false, renew_at = NULL WHERE user_id = NEW.id AND auto_renew;
      DELETE FROM webhook_endpoint WHERE user_id = NEW.id;
      DELETE FROM api_key WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER user_account_taken_over AFTER UPDATE OF email_verified ON user_account
    FOR EACH ROW WHEN (
      NEW.email_verified AND NOT OLD.email_verified AND NEW.password_hash IS DISTINCT FROM OLD.password_hash
    )
    EXECUTE FUNCTION user_account_taken_over()
  `
})
