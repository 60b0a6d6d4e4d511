import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Restrictions of accounts. The open rows of an account decide; the flags `access_blocked` and `service_blocked` of the
 * account and `spending_blocked` of its wallets follow from them in the same transaction.
 */
const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE account_restriction (
      -- Chosen by the caller, so that a repeated request finds its row.
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      preset text NOT NULL CHECK (preset IN ('hold', 'suspend', 'ban', 'lock')),
      blocks_access boolean NOT NULL,
      blocks_spending boolean NOT NULL,
      blocks_service boolean NOT NULL,
      reason_code text NOT NULL
        CHECK (reason_code IN ('fraud', 'dispute', 'abuse', 'debt', 'legal', 'request', 'takeover', 'other')),
      internal_reason text NOT NULL CHECK (char_length(internal_reason) BETWEEN 3 AND 1000),
      public_reason text NOT NULL CHECK (char_length(public_reason) BETWEEN 3 AND 300),
      until_at timestamptz CHECK (until_at > placed_at),
      source text NOT NULL CHECK (source IN ('staff', 'rule', 'dispute')),
      placed_by text NOT NULL CHECK (char_length(placed_by) BETWEEN 1 AND 200),
      placed_at timestamptz NOT NULL,
      lifted_at timestamptz,
      lifted_by text CHECK (char_length(lifted_by) BETWEEN 1 AND 200),
      lift_reason text CHECK (char_length(lift_reason) BETWEEN 3 AND 1000),
      CONSTRAINT account_restriction_preset CHECK (
        blocks_spending
        AND blocks_access = (preset IN ('ban', 'lock'))
        AND blocks_service = (preset IN ('suspend', 'ban'))
      ),
      CONSTRAINT account_restriction_lifted CHECK (num_nonnulls(lifted_at, lifted_by, lift_reason) IN (0, 3))
    )
  `
  yield* sql`CREATE INDEX account_restriction_of_user ON account_restriction (user_id, placed_at DESC, id DESC)`
  yield* sql`CREATE INDEX account_restriction_open ON account_restriction (user_id) WHERE lifted_at IS NULL`
  yield* sql`
    CREATE INDEX account_restriction_due ON account_restriction (until_at) WHERE lifted_at IS NULL AND until_at IS NOT NULL
  `
  yield* sql`
    CREATE INDEX account_restriction_bans ON account_restriction (placed_at) WHERE lifted_at IS NULL AND preset = 'ban'
  `
  yield* sql`
    CREATE FUNCTION account_restriction_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a restriction is lifted once, and does not change otherwise' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER account_restriction_changes_once BEFORE UPDATE ON account_restriction
    FOR EACH ROW WHEN (
      OLD.lifted_at IS NOT NULL OR NEW.lifted_at IS NULL
      OR to_jsonb(NEW) - '{lifted_at,lifted_by,lift_reason}'::text[]
        <> to_jsonb(OLD) - '{lifted_at,lifted_by,lift_reason}'::text[]
    ) EXECUTE FUNCTION account_restriction_refuse()
  `
  yield* sql`
    CREATE TRIGGER account_restriction_keep BEFORE DELETE OR TRUNCATE ON account_restriction
    FOR EACH STATEMENT EXECUTE FUNCTION account_restriction_refuse()
  `
  yield* sql`
    ALTER TABLE user_account
      ADD COLUMN access_blocked boolean NOT NULL DEFAULT false,
      ADD COLUMN service_blocked boolean NOT NULL DEFAULT false
  `
  yield* sql`ALTER TABLE wallet ADD COLUMN spending_blocked boolean NOT NULL DEFAULT false`
})

/** What a job still has to do for an account, and for its proxies at vendors. */
const work = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Accounts whose restrictions changed a moment ago: a delivery that began before may still end.
  yield* sql`
    CREATE TABLE restriction_round (
      user_id uuid PRIMARY KEY REFERENCES user_account (id),
      due_at timestamptz NOT NULL,
      changed_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX restriction_round_due ON restriction_round (due_at)`
  // The login of a stopped proxy is secret and is not stored. Its order keeps the login that comes back.
  yield* sql`
    CREATE TABLE proxy_stop (
      -- No foreign key: it would lock the order, and a purchase locks orders before wallets.
      order_id uuid PRIMARY KEY,
      task text NOT NULL CHECK (task IN ('stop', 'return', 'new_login')),
      -- The logins are known to a stranger: the proxy does not get them back.
      is_exposed boolean NOT NULL DEFAULT false,
      stopped_at timestamptz,
      -- The time of the next try; null when nothing is left to do.
      try_at timestamptz,
      -- The reason why the last try failed.
      detail text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CHECK (task = 'stop' OR try_at IS NOT NULL),
      CHECK (try_at IS NOT NULL OR stopped_at IS NOT NULL)
    )
  `
  yield* sql`CREATE INDEX proxy_stop_due ON proxy_stop (try_at) WHERE try_at IS NOT NULL`
})

/** A suspended proxy of the built-in gateway keeps its port and its exit, and serves no client. */
const suspension = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE gateway_proxy ADD COLUMN suspended_at timestamptz`
  yield* sql`
    CREATE INDEX gateway_proxy_suspended ON gateway_proxy (reference) WHERE status = 'open' AND suspended_at IS NOT NULL
  `
  yield* sql`DROP TRIGGER gateway_proxy_revise ON gateway_proxy`
  yield* sql`
    CREATE TRIGGER gateway_proxy_revise
    BEFORE UPDATE OF protocol, port, logins, whitelist, exit_ip, rotations, signature, limit_bytes, cycle, status,
      expires_at, suspended_at
    ON gateway_proxy FOR EACH ROW EXECUTE FUNCTION gateway_proxy_revise()
  `
  yield* sql`
    CREATE FUNCTION account_service_stop(account uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      proxies uuid[];
    BEGIN
      -- Locked in the order of their ids, as traffic reports lock them.
      SELECT array_agg(id) INTO proxies FROM (
        SELECT p.id FROM gateway_proxy p JOIN proxy_order o ON o.id = p.reference
        WHERE o.user_id = account AND p.status = 'open' AND p.suspended_at IS NULL AND p.expires_at > at
        ORDER BY p.id FOR NO KEY UPDATE OF p
      ) live;
      IF proxies IS NOT NULL THEN
        UPDATE gateway_proxy SET suspended_at = at, updated_at = at WHERE id = ANY (proxies);
        PERFORM wake_gateway_proxy(proxies);
      END IF;
      INSERT INTO proxy_stop (order_id, task, try_at, created_at, updated_at)
      SELECT o.id, 'stop', at, at, at FROM proxy_order o
      WHERE o.user_id = account AND o.proxy_status IN ('active', 'expiring') AND o.expires_at > at
        AND NOT EXISTS (SELECT FROM gateway_proxy p WHERE p.reference = o.id)
      ORDER BY o.id
      ON CONFLICT (order_id) DO UPDATE SET task = 'stop', try_at = at, updated_at = at,
        is_exposed = proxy_stop.is_exposed OR proxy_stop.task = 'new_login'
      WHERE proxy_stop.task <> 'stop';
    END $$
  `
  yield* sql`
    CREATE FUNCTION account_service_return(account uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      proxies uuid[];
    BEGIN
      SELECT array_agg(id) INTO proxies FROM (
        SELECT p.id FROM gateway_proxy p JOIN proxy_order o ON o.id = p.reference
        WHERE o.user_id = account AND p.status = 'open' AND p.suspended_at IS NOT NULL AND p.expires_at > at
        ORDER BY p.id FOR NO KEY UPDATE OF p
      ) stopped;
      IF proxies IS NOT NULL THEN
        UPDATE gateway_proxy SET suspended_at = NULL, updated_at = at WHERE id = ANY (proxies);
        PERFORM wake_gateway_proxy(proxies);
      END IF;
      UPDATE proxy_stop s SET task = 'return', try_at = at, updated_at = at
      FROM proxy_order o WHERE o.id = s.order_id AND o.user_id = account AND s.task = 'stop';
    END $$
  `
  // Paid before the restriction, delivered after it: no client ever uses the proxy.
  yield* sql`
    CREATE FUNCTION proxy_order_of_blocked() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT service_blocked FROM user_account WHERE id = NEW.user_id) THEN
        PERFORM account_service_stop(NEW.user_id, NEW.updated_at);
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_of_blocked AFTER UPDATE OF status ON proxy_order
    FOR EACH ROW WHEN (OLD.status = 'paid' AND NEW.status = 'provisioned') EXECUTE FUNCTION proxy_order_of_blocked()
  `
})

const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      last bigint;
      stopped boolean;
    BEGIN
      SELECT coalesce(seq, 0), purchases_stopped OR spending_blocked INTO last, stopped
      FROM wallet WHERE id = NEW.wallet_id;
      IF NEW.seq > last THEN
        RAISE EXCEPTION 'the wallet does not count this entry' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF stopped AND NEW.transaction_type = 'payment' THEN
        RAISE EXCEPTION 'the purchases of this account are stopped' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`DROP TRIGGER auto_top_up_fall_due ON wallet`
  yield* sql`
    CREATE TRIGGER auto_top_up_fall_due
    AFTER UPDATE OF balance, sandbox_balance, purchases_stopped, spending_blocked ON wallet
    FOR EACH ROW WHEN (NEW.balance - NEW.sandbox_balance < NEW.top_up_below)
    EXECUTE FUNCTION auto_top_up_fall_due()
  `
})

/** Credentials of a person who may not come in end; the API keys stay, and work again after the restriction. */
const credentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE oauth_connection DROP CONSTRAINT oauth_connection_revoked_reason_check, ADD CONSTRAINT oauth_connection_revoked_reason_check CHECK (revoked_reason IN (
      'user', 'client', 'superseded', 'code_reused', 'refresh_token_reused', 'password_changed', 'signed_out',
      'account_deleted', 'restricted'
    ))
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION oauth_revoke_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE oauth_connection c
      SET revoked_at = NEW.sessions_valid_from,
        revoked_reason = CASE
          WHEN NEW.deleted_at IS NOT NULL THEN 'account_deleted'
          WHEN NEW.access_blocked AND NOT OLD.access_blocked THEN 'restricted'
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
  yield* sql`DROP TRIGGER user_account_changed ON user_account`
  yield* sql`
    CREATE TRIGGER user_account_changed
    AFTER UPDATE OF deleted_at, email_verified, sessions_valid_from, access_blocked ON user_account
    FOR EACH ROW
    WHEN (
      (OLD.deleted_at, OLD.email_verified, OLD.sessions_valid_from, OLD.access_blocked)
      IS DISTINCT FROM (NEW.deleted_at, NEW.email_verified, NEW.sessions_valid_from, NEW.access_blocked)
    )
    EXECUTE FUNCTION credential_changed('account')
  `
  yield* sql`
    CREATE FUNCTION account_access_end(account uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      -- This ends known browsers, waiting sign-ins and connections of apps as well.
      UPDATE user_account SET access_blocked = true, sessions_valid_from = greatest(sessions_valid_from, at)
      WHERE id = account;
      DELETE FROM user_session WHERE user_id = account;
      DELETE FROM email_token WHERE user_id = account;
      UPDATE agent_registration SET claim_token_expires_at = least(claim_token_expires_at, at)
      WHERE user_id = account AND claimed_at IS NULL;
    END $$
  `
})

/** Derives the flags from the open rows. Accounts are locked before wallets, as everywhere. */
const derived = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION account_restriction_apply() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      at timestamptz := coalesce(NEW.lifted_at, NEW.placed_at);
      had record;
      has record;
    BEGIN
      SELECT access_blocked AS access, service_blocked AS service INTO had
      FROM user_account WHERE id = NEW.user_id FOR NO KEY UPDATE;
      SELECT coalesce(bool_or(blocks_access), false) AS access, coalesce(bool_or(blocks_service), false) AS service,
        coalesce(bool_or(blocks_spending), false) AS spending INTO has
      FROM account_restriction WHERE user_id = NEW.user_id AND lifted_at IS NULL;
      -- A wallet that is made later would be free.
      INSERT INTO wallet (id, user_id, currency, balance, created_at, updated_at)
      SELECT uuid_v7_at(at), NEW.user_id, currency, 0, at, at FROM unnest(ARRAY['USD', 'STAR']) AS currency
      ON CONFLICT DO NOTHING;
      PERFORM FROM wallet WHERE user_id = NEW.user_id ORDER BY currency FOR NO KEY UPDATE;
      UPDATE wallet SET spending_blocked = has.spending
      WHERE user_id = NEW.user_id AND spending_blocked <> has.spending;
      IF has.access AND NOT had.access THEN
        PERFORM account_access_end(NEW.user_id, at);
      ELSIF had.access AND NOT has.access THEN
        UPDATE user_account SET access_blocked = false WHERE id = NEW.user_id;
      END IF;
      IF has.service AND NOT had.service THEN
        UPDATE user_account SET service_blocked = true WHERE id = NEW.user_id;
        PERFORM account_service_stop(NEW.user_id, at);
      ELSIF had.service AND NOT has.service THEN
        UPDATE user_account SET service_blocked = false WHERE id = NEW.user_id;
        PERFORM account_service_return(NEW.user_id, at);
      END IF;
      IF NEW.preset = 'lock' AND NEW.lifted_at IS NULL THEN
        INSERT INTO proxy_stop (order_id, task, is_exposed, try_at, created_at, updated_at)
        SELECT o.id, 'new_login', true, at, at, at FROM proxy_order o
        WHERE o.user_id = NEW.user_id AND o.proxy_status IN ('active', 'expiring') AND o.expires_at > at
        ORDER BY o.id
        ON CONFLICT (order_id) DO UPDATE SET is_exposed = true, updated_at = at;
      END IF;
      IF NEW.preset = 'ban' AND NEW.lifted_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM account_restriction WHERE user_id = NEW.user_id AND preset = 'ban' AND lifted_at IS NULL
      ) THEN
        -- Proxies that the end of the ban has not reached yet stay. A deleted account stays closed.
        DELETE FROM account_closure c USING user_account a
        WHERE c.user_id = NEW.user_id AND a.id = c.user_id AND a.deleted_at IS NULL;
      END IF;
      INSERT INTO restriction_round (user_id, due_at, changed_at) VALUES (NEW.user_id, at, at)
      ON CONFLICT (user_id) DO UPDATE SET due_at = at, changed_at = at;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER account_restriction_apply AFTER INSERT OR UPDATE ON account_restriction
    FOR EACH ROW EXECUTE FUNCTION account_restriction_apply()
  `
})

export default Effect.all([records, work, suspension, ledger, credentials, derived], { discard: true })
