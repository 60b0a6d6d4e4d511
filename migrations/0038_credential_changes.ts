import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Instances keep API keys, sessions and connections of apps in memory. Each change tells them on the channel
 * `credential` what to drop: `api_key:<id>`, `session:<id>`, `account:<id>` or `grant:<id>`.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE FUNCTION credential_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('credential', TG_ARGV[0] || ':' || OLD.id);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER api_key_removed AFTER DELETE ON api_key
    FOR EACH ROW EXECUTE FUNCTION credential_changed('api_key')
  `
  // The time of the last use changes often and decides nothing.
  yield* sql`
    CREATE TRIGGER api_key_changed AFTER UPDATE ON api_key
    FOR EACH ROW
    WHEN (
      (OLD.user_id, OLD.key_hash, OLD.scopes, OLD.expires_at, OLD.allowed_ips, OLD.daily_spend_limit_usd)
      IS DISTINCT FROM
      (NEW.user_id, NEW.key_hash, NEW.scopes, NEW.expires_at, NEW.allowed_ips, NEW.daily_spend_limit_usd)
    )
    EXECUTE FUNCTION credential_changed('api_key')
  `
  yield* sql`
    CREATE TRIGGER user_session_removed AFTER DELETE ON user_session
    FOR EACH ROW EXECUTE FUNCTION credential_changed('session')
  `
  yield* sql`
    CREATE TRIGGER user_session_shortened AFTER UPDATE OF expires_at ON user_session
    FOR EACH ROW WHEN (NEW.expires_at < OLD.expires_at) EXECUTE FUNCTION credential_changed('session')
  `
  yield* sql`
    CREATE TRIGGER user_account_changed AFTER UPDATE OF deleted_at, email_verified, sessions_valid_from ON user_account
    FOR EACH ROW
    WHEN (
      (OLD.deleted_at, OLD.email_verified, OLD.sessions_valid_from)
      IS DISTINCT FROM (NEW.deleted_at, NEW.email_verified, NEW.sessions_valid_from)
    )
    EXECUTE FUNCTION credential_changed('account')
  `

  yield* sql`
    CREATE OR REPLACE FUNCTION oauth_connection_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO oauth_event (occurred_at, kind, user_id, client_id, connection_id, scopes, reason)
      SELECT NEW.revoked_at, 'revoked', g.user_id, g.client_id, NEW.id, g.scopes, NEW.revoked_reason
      FROM oauth_grant g WHERE g.id = NEW.grant_id;
      PERFORM pg_notify('credential', 'grant:' || NEW.grant_id);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION oauth_grant_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('credential', 'grant:' || NEW.id);
      RETURN NULL;
    END $$
  `
})
