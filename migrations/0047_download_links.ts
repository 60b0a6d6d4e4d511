import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Links from which a program downloads the proxies of an account without other credentials. The service shows a link once
 * and stores the hash of its token. A link ends with the account, and with a reset of the password that takes the account
 * over (0026_account_taken_over).
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE download_link (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
      token_hash text NOT NULL UNIQUE,
      format text NOT NULL CHECK (format IN ('txt', 'csv', 'json')),
      template text CHECK (char_length(template) BETWEEN 1 AND 500),
      -- The filter of the list; null keeps everything.
      q text CHECK (char_length(q) BETWEEN 1 AND 100),
      country text CHECK (country ~ '^[A-Z]{2}$'),
      proxy_type text CHECK (proxy_type IN ('datacenter', 'residential', 'mobile')),
      proxy_status text CHECK (proxy_status IN ('active', 'expiring', 'expired')),
      sort text CHECK (sort IN ('created_at', 'expires_at', 'name')),
      -- To the minute.
      last_used_at timestamptz,
      created_at timestamptz NOT NULL,
      CHECK (template IS NULL OR format = 'txt')
    )
  `
  yield* sql`CREATE INDEX download_link_of_user ON download_link (user_id, created_at DESC, id DESC)`
  yield* sql`
    CREATE FUNCTION download_link_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM download_link WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER download_link_end AFTER UPDATE OF email_verified, deleted_at ON user_account
    FOR EACH ROW WHEN (
      OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
      OR NEW.email_verified AND NOT OLD.email_verified AND NEW.password_hash IS DISTINCT FROM OLD.password_hash
    )
    EXECUTE FUNCTION download_link_end()
  `
})
