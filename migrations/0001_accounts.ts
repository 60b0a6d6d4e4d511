import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Accounts, their sign-in, and the mail to send to them. Secrets are stored as SHA-256. */
export default Effect.gen(function* () {
  yield* accounts
  yield* sessions
  yield* apiKeys
  yield* mail
})

const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A deleted account keeps its row, without personal data, so that the ledger keeps its owner.
  yield* sql`
    CREATE TABLE user_account (
      id uuid PRIMARY KEY,
      email text CHECK (email = lower(email) AND length(email) <= 254),
      name text CHECK (length(name) <= 100),
      email_verified boolean NOT NULL,
      is_anonymous boolean NOT NULL,
      referral_code text NOT NULL,
      password_hash text CHECK (password_hash LIKE '$argon2id$%'),
      referred_by uuid REFERENCES user_account (id) CHECK (referred_by <> id),
      referral_earned_usd bigint NOT NULL DEFAULT 0 CHECK (referral_earned_usd >= 0),
      sessions_valid_from timestamptz NOT NULL DEFAULT to_timestamp(0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      deleted_at timestamptz,
      CONSTRAINT user_account_email UNIQUE (email),
      CONSTRAINT user_account_referral_code UNIQUE (referral_code),
      CONSTRAINT user_account_verified_has_email CHECK (email IS NOT NULL OR NOT email_verified),
      CONSTRAINT user_account_named_has_email CHECK (is_anonymous = (email IS NULL) OR deleted_at IS NOT NULL),
      CONSTRAINT user_account_deleted_is_empty
        CHECK (deleted_at IS NULL OR num_nonnulls(email, name, password_hash) = 0)
    )
  `
  yield* sql`CREATE INDEX user_account_referred_by ON user_account (referred_by) WHERE referred_by IS NOT NULL`

  // The token proves that its holder reads mail at that address; it is removed with the address.
  yield* sql`
    CREATE TABLE email_token (
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      purpose text NOT NULL CHECK (purpose IN ('email_verification', 'password_reset')),
      email text NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`CREATE INDEX email_token_user ON email_token (user_id)`
  yield* sql`CREATE INDEX email_token_expiry ON email_token (expires_at)`
})

const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Keys that sign access tokens. One key signs at a time; retired keys still verify.
  yield* sql`
    CREATE TABLE signing_key (
      id uuid PRIMARY KEY,
      private_jwk jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      retired_at timestamptz
    )
  `
  yield* sql`CREATE UNIQUE INDEX signing_key_one_active ON signing_key ((true)) WHERE retired_at IS NULL`

  // A session that ends is deleted together with its refresh tokens.
  yield* sql`
    CREATE TABLE user_session (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
    )
  `
  yield* sql`CREATE INDEX user_session_user ON user_session (user_id, created_at DESC)`
  yield* sql`CREATE INDEX user_session_expiry ON user_session (expires_at)`

  // Used tokens stay until they expire, so that the service notices a second use.
  yield* sql`
    CREATE TABLE refresh_token (
      token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
      session_id uuid NOT NULL REFERENCES user_session (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
      used_at timestamptz
    )
  `
  yield* sql`CREATE UNIQUE INDEX refresh_token_one_unused ON refresh_token (session_id) WHERE used_at IS NULL`
  yield* sql`CREATE INDEX refresh_token_session ON refresh_token (session_id)`
  yield* sql`CREATE INDEX refresh_token_expiry ON refresh_token (expires_at)`
})

const apiKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE api_key (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
      prefix text NOT NULL,
      key_hash text NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
      scopes text[] CHECK (
        cardinality(scopes) > 0
        AND scopes <@ ARRAY['catalog:read', 'account:read', 'orders:read', 'wallet:read', 'orders:write']
      ),
      allowed_ips text[] CHECK (cardinality(allowed_ips::cidr[]) BETWEEN 1 AND 100),
      daily_spend_limit_usd bigint CHECK (daily_spend_limit_usd > 0),
      expires_at timestamptz CHECK (expires_at > created_at),
      last_used_at timestamptz,
      created_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX api_key_list ON api_key (user_id, created_at DESC, id DESC)`
})

const mail = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A row is a mail that is still to be sent. It holds no secret: the tokens are made at the time of sending.
  yield* sql`
    CREATE TABLE email_outbox (
      id uuid PRIMARY KEY,
      to_address text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('email_verification', 'password_reset', 'notice')),
      subject text,
      text text,
      attempt integer NOT NULL CHECK (attempt >= 0),
      next_attempt_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      CHECK (num_nonnulls(subject, text) = CASE kind WHEN 'notice' THEN 2 ELSE 0 END)
    )
  `
  yield* sql`CREATE INDEX email_outbox_due ON email_outbox (next_attempt_at)`
})
