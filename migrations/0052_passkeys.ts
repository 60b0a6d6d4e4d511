import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Passkeys of accounts (Web Authentication, Level 3), and the challenges that were answered. Binary values are base64url. The
 * service signs its challenges and stores only those that were answered, until they expire: each gets one answer.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE passkey (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
      -- Both have at most 1023 bytes, which is the limit of Web Authentication for credentials.
      credential_id text NOT NULL UNIQUE CHECK (credential_id ~ '^[A-Za-z0-9_-]+$' AND length(credential_id) <= 1364),
      public_key text NOT NULL CHECK (public_key ~ '^[A-Za-z0-9_-]+$' AND length(public_key) <= 1364),
      -- The number of signatures that the authenticator reported last; 0 for one that does not count.
      sign_count bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
      -- The owner's devices share it, or a backup of it exists.
      is_synced boolean NOT NULL,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      -- The last refusal because the authenticator counted backwards, as a copy does.
      refused_at timestamptz
    )
  `
  yield* sql`CREATE INDEX passkey_user ON passkey (user_id, created_at)`
  yield* sql`
    CREATE FUNCTION passkey_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'A passkey keeps its owner and its key, and never counts backwards' USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER passkey_moves_on BEFORE UPDATE ON passkey
    FOR EACH ROW WHEN (
      (NEW.id, NEW.user_id, NEW.credential_id, NEW.public_key, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.credential_id, OLD.public_key, OLD.created_at)
      OR NEW.sign_count < OLD.sign_count
    ) EXECUTE FUNCTION passkey_refuse()
  `
  yield* sql`
    CREATE TABLE answered_challenge (
      challenge text PRIMARY KEY CHECK (challenge ~ '^[A-Za-z0-9_-]{43}$'),
      expires_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX answered_challenge_expiry ON answered_challenge (expires_at)`

  yield* sql`
    CREATE FUNCTION passkeys_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM passkey WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER passkeys_ended AFTER UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION passkeys_ended()
  `
  // The earlier holder of an account that is taken over must not get in again (0026_account_taken_over).
  yield* sql`
    CREATE TRIGGER passkeys_taken_over AFTER UPDATE OF email_verified ON user_account
    FOR EACH ROW WHEN (
      NEW.email_verified AND NOT OLD.email_verified AND NEW.password_hash IS DISTINCT FROM OLD.password_hash
    )
    EXECUTE FUNCTION passkeys_ended()
  `
})
