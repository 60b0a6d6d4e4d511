import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Browsers in which an account signed in before, and links by mail, bypass the sign-in limits that strangers can use
 * up. Only the SHA-256 of a browser's cookie is stored. A password change, and signing out everywhere, make browsers
 * unknown.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE known_browser (
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`CREATE INDEX known_browser_user ON known_browser (user_id, created_at DESC)`
  yield* sql`CREATE INDEX known_browser_expiry ON known_browser (expires_at)`
  yield* sql`
    CREATE FUNCTION known_browsers_forgotten() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM known_browser WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER known_browsers_forgotten AFTER UPDATE OF sessions_valid_from ON user_account
    FOR EACH ROW EXECUTE FUNCTION known_browsers_forgotten()
  `

  yield* sql`ALTER TABLE email_token DROP CONSTRAINT email_token_purpose_check`
  yield* sql`
    ALTER TABLE email_token ADD CONSTRAINT email_token_purpose_check
      CHECK (purpose IN ('email_verification', 'password_reset', 'sign_in_unlock'))
  `
  yield* sql`ALTER TABLE email_outbox DROP CONSTRAINT email_outbox_kind_check`
  yield* sql`
    ALTER TABLE email_outbox ADD CONSTRAINT email_outbox_kind_check
      CHECK (kind IN ('email_verification', 'password_reset', 'sign_in_unlock', 'notice'))
  `
})
