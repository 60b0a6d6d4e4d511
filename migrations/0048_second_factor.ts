import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The second factor of an account: a secret for codes by time (RFC 6238), and recovery codes, stored as SHA-256. Before a
 * code confirms it, the secret belongs to one session. A sign-in that waits for its code belongs to one browser. It ends with
 * the second factor, and when the sessions of the account end.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE second_factor (
      user_id uuid PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
      secret text NOT NULL CHECK (secret ~ '^[A-Z2-7]{32}$'),
      -- The 30-second step of the last accepted code: neither it nor an earlier one is accepted again.
      last_step bigint NOT NULL CHECK (last_step > 0),
      enabled_at timestamptz NOT NULL
    )
  `
  yield* sql`
    CREATE FUNCTION second_factor_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'A second factor keeps its secret, and accepts only later codes' USING ERRCODE = 'check_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER second_factor_moves_on BEFORE UPDATE ON second_factor
    FOR EACH ROW WHEN (
      (NEW.user_id, NEW.secret, NEW.enabled_at) IS DISTINCT FROM (OLD.user_id, OLD.secret, OLD.enabled_at)
      OR NEW.last_step <= OLD.last_step
    ) EXECUTE FUNCTION second_factor_refuse()
  `
  // A used code is deleted.
  yield* sql`
    CREATE TABLE recovery_code (
      user_id uuid NOT NULL REFERENCES second_factor (user_id) ON DELETE CASCADE,
      position smallint NOT NULL CHECK (position BETWEEN 1 AND 10),
      code_hash text NOT NULL UNIQUE CHECK (code_hash ~ '^[0-9a-f]{64}$'),
      PRIMARY KEY (user_id, position)
    )
  `
  yield* sql`
    CREATE TABLE second_factor_setup (
      user_id uuid PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
      session_id uuid NOT NULL,
      secret text NOT NULL CHECK (secret ~ '^[A-Z2-7]{32}$'),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`CREATE INDEX second_factor_setup_expiry ON second_factor_setup (expires_at)`
  yield* sql`
    CREATE TABLE pending_sign_in (
      browser_hash text PRIMARY KEY CHECK (browser_hash ~ '^[0-9a-f]{64}$'),
      user_id uuid NOT NULL REFERENCES second_factor (user_id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`CREATE INDEX pending_sign_in_user ON pending_sign_in (user_id, created_at DESC)`
  yield* sql`CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at)`
  yield* sql`
    CREATE FUNCTION pending_sign_ins_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM pending_sign_in WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER pending_sign_ins_ended AFTER UPDATE OF sessions_valid_from ON user_account
    FOR EACH ROW EXECUTE FUNCTION pending_sign_ins_ended()
  `
  yield* sql`
    CREATE FUNCTION second_factor_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM second_factor WHERE user_id = NEW.id;
      DELETE FROM second_factor_setup WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER second_factor_ended AFTER UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION second_factor_ended()
  `
})
