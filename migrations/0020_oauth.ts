import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** OAuth 2.1 clients, approvals and tokens (docs/contract.md, "OAuth"). Secrets are stored as SHA-256. */
export default Effect.gen(function* () {
  yield* clients
  yield* grants
  yield* tokens
  yield* events
  yield* revocation
})

const clients = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Registered (`dcr_...`), or described by the document at its id, which makes it verified.
  yield* sql`
    CREATE TABLE oauth_client (
      id text PRIMARY KEY CHECK (length(id) <= 2048),
      is_verified boolean NOT NULL,
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
      redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
      grant_types text[] NOT NULL CHECK (
        'authorization_code' = ANY (grant_types) AND grant_types <@ ARRAY['authorization_code', 'refresh_token']
      ),
      application_type text NOT NULL CHECK (application_type IN ('web', 'native')),
      token_endpoint_auth_method text NOT NULL
        CHECK (token_endpoint_auth_method IN ('none', 'client_secret_post', 'client_secret_basic')),
      secret_hash text CHECK (secret_hash ~ '^[0-9a-f]{64}$'),
      fresh_until timestamptz,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      CHECK (CASE WHEN is_verified THEN id ~ '^https?://' ELSE id LIKE 'dcr\\_%' END),
      CHECK (is_verified = (fresh_until IS NOT NULL)),
      CHECK ((token_endpoint_auth_method = 'none') = (secret_hash IS NULL)),
      CHECK (NOT is_verified OR token_endpoint_auth_method = 'none')
    )
  `
  yield* sql`CREATE INDEX oauth_client_by_use ON oauth_client (last_used_at)`

  // A request that waits for its user at the consent screen, in the browser that brought it. It is removed with the
  // decision.
  yield* sql`
    CREATE TABLE oauth_authorization (
      id uuid PRIMARY KEY,
      browser_hash text NOT NULL CHECK (browser_hash ~ '^[0-9a-f]{64}$'),
      client_id text NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE,
      redirect_uri text NOT NULL,
      state text,
      code_challenge text NOT NULL CHECK (code_challenge ~ '^[A-Za-z0-9_-]{43}$'),
      resource text NOT NULL,
      scopes text[] NOT NULL CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['catalog:read', 'account:read', 'orders:read', 'wallet:read', 'orders:write']
      ),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`
    CREATE INDEX oauth_authorization_browser ON oauth_authorization (browser_hash, created_at DESC, id DESC)
  `
  yield* sql`CREATE INDEX oauth_authorization_expiry ON oauth_authorization (expires_at)`
  yield* sql`CREATE INDEX oauth_authorization_client ON oauth_authorization (client_id)`
})

const grants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The scopes that an account allows an app at one resource; all connections of the three share them.
  yield* sql`
    CREATE TABLE oauth_grant (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      client_id text NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE,
      resource text NOT NULL,
      scopes text[] NOT NULL CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['catalog:read', 'account:read', 'orders:read', 'wallet:read', 'orders:write']
      ),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT oauth_grant_one UNIQUE (user_id, client_id, resource)
    )
  `
  yield* sql`CREATE INDEX oauth_grant_client ON oauth_grant (client_id)`

  // One approval, with its authorization code and the connection. Revocation is final: see the triggers below.
  yield* sql`
    CREATE TABLE oauth_connection (
      id uuid PRIMARY KEY,
      grant_id uuid NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      code_hash text NOT NULL UNIQUE CHECK (code_hash ~ '^[0-9a-f]{64}$'),
      code_challenge text NOT NULL CHECK (code_challenge ~ '^[A-Za-z0-9_-]{43}$'),
      redirect_uri text NOT NULL,
      code_expires_at timestamptz NOT NULL CHECK (code_expires_at > created_at),
      code_used_at timestamptz,
      last_used_at timestamptz,
      expires_at timestamptz NOT NULL,
      revoked_at timestamptz,
      revoked_reason text CHECK (revoked_reason IN (
        'user', 'client', 'superseded', 'code_reused', 'refresh_token_reused', 'password_changed', 'signed_out',
        'account_deleted'
      )),
      created_at timestamptz NOT NULL,
      CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
    )
  `
  yield* sql`CREATE INDEX oauth_connection_grant ON oauth_connection (grant_id)`
  yield* sql`CREATE INDEX oauth_connection_end ON oauth_connection (least(expires_at, revoked_at))`
})

const tokens = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Used tokens stay until they expire, so that the service notices a second use.
  yield* sql`
    CREATE TABLE oauth_refresh_token (
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      connection_id uuid NOT NULL REFERENCES oauth_connection (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
      used_at timestamptz
    )
  `
  yield* sql`CREATE UNIQUE INDEX oauth_refresh_token_one ON oauth_refresh_token (connection_id) WHERE used_at IS NULL`
  yield* sql`CREATE INDEX oauth_refresh_token_connection ON oauth_refresh_token (connection_id)`
  yield* sql`CREATE INDEX oauth_refresh_token_expiry ON oauth_refresh_token (expires_at)`
})

const events = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // For the operator. An event outlives its subject, hence no foreign keys.
  yield* sql`
    CREATE TABLE oauth_event (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      occurred_at timestamptz NOT NULL,
      kind text NOT NULL CHECK (kind IN (
        'approved', 'declined', 'redeemed', 'refreshed', 'code_reused', 'refresh_token_reused', 'revoked'
      )),
      user_id uuid NOT NULL,
      client_id text NOT NULL,
      connection_id uuid,
      scopes text[],
      reason text,
      client_address text,
      CHECK ((connection_id IS NULL) = (kind = 'declined')),
      CHECK ((reason IS NOT NULL) = (kind = 'revoked'))
    )
  `
  yield* sql`CREATE INDEX oauth_event_by_age ON oauth_event (occurred_at)`
  yield* sql`CREATE INDEX oauth_event_of_user ON oauth_event (user_id, id DESC)`
  yield* sql`CREATE INDEX oauth_event_of_client ON oauth_event (client_id, id DESC)`
})

/**
 * The database itself ends connections when the account's password changes, the account signs out everywhere or is
 * deleted, in the same transaction; it records every end, and notifies every instance of ends and changed scopes.
 */
const revocation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE FUNCTION oauth_revoke_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE oauth_connection c
      SET revoked_at = NEW.sessions_valid_from,
        revoked_reason = CASE
          WHEN NEW.deleted_at IS NOT NULL THEN 'account_deleted'
          WHEN NEW.password_hash IS DISTINCT FROM OLD.password_hash THEN 'password_changed'
          ELSE 'signed_out'
        END
      FROM oauth_grant g
      -- Instances differ in their clocks: a connection that has expired by one clock is still live by another.
      WHERE g.id = c.grant_id AND g.user_id = NEW.id AND c.revoked_at IS NULL
        AND c.expires_at > NEW.sessions_valid_from - interval '1 day';
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER oauth_revoke_of_account AFTER UPDATE OF sessions_valid_from ON user_account
    FOR EACH ROW EXECUTE FUNCTION oauth_revoke_of_account()
  `

  // A revoked connection is never restored, extended, used or revoked again.
  yield* sql`
    CREATE FUNCTION oauth_connection_final() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the revocation of a connection is final';
    END $$
  `
  yield* sql`
    CREATE TRIGGER oauth_connection_final BEFORE UPDATE ON oauth_connection
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION oauth_connection_final()
  `

  yield* sql`
    CREATE FUNCTION oauth_connection_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO oauth_event (occurred_at, kind, user_id, client_id, connection_id, scopes, reason)
      SELECT NEW.revoked_at, 'revoked', g.user_id, g.client_id, NEW.id, g.scopes, NEW.revoked_reason
      FROM oauth_grant g WHERE g.id = NEW.grant_id;
      PERFORM pg_notify('oauth_grant', NEW.grant_id::text);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER oauth_connection_revoked AFTER UPDATE OF revoked_at ON oauth_connection
    FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION oauth_connection_revoked()
  `

  yield* sql`
    CREATE FUNCTION oauth_grant_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('oauth_grant', NEW.id::text);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER oauth_grant_changed AFTER UPDATE OF scopes ON oauth_grant
    FOR EACH ROW WHEN (NEW.scopes IS DISTINCT FROM OLD.scopes) EXECUTE FUNCTION oauth_grant_changed()
  `
})
