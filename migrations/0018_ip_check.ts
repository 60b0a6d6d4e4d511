import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Checks of addresses: the question, the payment and the answer. */
const checks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE ip_check (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      ip text NOT NULL CHECK (ip = host(ip::inet)),
      status text NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
      is_free boolean NOT NULL,
      amount bigint NOT NULL CHECK (amount >= 0),
      verdict text CHECK (verdict IN ('clean', 'suspicious', 'risky', 'blacklisted')),
      risk_score integer CHECK (risk_score BETWEEN 0 AND 100),
      signals jsonb,
      vendors jsonb,
      partial boolean,
      settle_at timestamptz,
      created_at timestamptz NOT NULL,
      completed_at timestamptz,
      CHECK (is_free = (amount = 0)),
      CHECK ((status = 'pending') = (settle_at IS NOT NULL)),
      CHECK (num_nonnulls(verdict, risk_score, signals, vendors, partial, completed_at)
        = CASE status WHEN 'completed' THEN 6 ELSE 0 END)
    )
  `
  // At most one check of an address is pending, for all accounts together.
  yield* sql`CREATE UNIQUE INDEX ip_check_pending ON ip_check (ip) WHERE status = 'pending'`
  yield* sql`CREATE INDEX ip_check_to_settle ON ip_check (settle_at) WHERE status = 'pending'`
  yield* sql`CREATE INDEX ip_check_recent ON ip_check (ip, completed_at DESC) WHERE status = 'completed'`
  yield* sql`
    CREATE INDEX ip_check_of_user ON ip_check (user_id, created_at DESC, id DESC) WHERE status = 'completed'
  `
  yield* sql`CREATE INDEX ip_check_free ON ip_check (user_id) WHERE is_free AND status <> 'failed'`
  yield* sql`
    CREATE TABLE ip_vendor_answer (
      check_id uuid NOT NULL REFERENCES ip_check (id),
      vendor text NOT NULL,
      status_code integer,
      body text NOT NULL,
      received_at timestamptz NOT NULL,
      PRIMARY KEY (check_id, vendor)
    )
  `
  yield* sql`CREATE INDEX ip_vendor_answer_by_age ON ip_vendor_answer (received_at)`
  // One row for a vendor with a quota: its calls of the last day and of the last month (UTC) in which it was asked.
  yield* sql`
    CREATE TABLE ip_vendor_usage (
      vendor text PRIMARY KEY,
      day date NOT NULL,
      calls_of_day integer NOT NULL CHECK (calls_of_day > 0),
      month date NOT NULL CHECK (month = date_trunc('month', month)),
      calls_of_month integer NOT NULL CHECK (calls_of_month > 0)
    )
  `
  yield* settledOnce
  yield* booked
})

/** A check ends once; its subject and its result never change. */
const settledOnce = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION ip_check_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a check of an address, and what came of it, does not change'
        USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER ip_check_settles_once BEFORE UPDATE ON ip_check
    FOR EACH ROW WHEN (
      OLD.status <> 'pending'
      OR (NEW.id, NEW.user_id, NEW.ip, NEW.is_free, NEW.amount, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.ip, OLD.is_free, OLD.amount, OLD.created_at)
    ) EXECUTE FUNCTION ip_check_refuse()
  `
  yield* sql`
    CREATE TRIGGER ip_check_keep BEFORE DELETE OR TRUNCATE ON ip_check
    FOR EACH STATEMENT EXECUTE FUNCTION ip_check_refuse()
  `
})

/**
 * By the commit: a paid check has its payment, which is returned exactly if the check failed; a free check has none.
 */
const booked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION ip_check_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked uuid;
    BEGIN
      IF TG_TABLE_NAME = 'ip_check' THEN
        checked := NEW.id;
      ELSE
        SELECT substr(reference, length('ip_check:') + 1)::uuid INTO checked FROM wallet_transaction
        WHERE id = coalesce(NEW.refunded_transaction_id, NEW.id) AND reference LIKE 'ip_check:%';
        IF checked IS NULL THEN RETURN NULL; END IF;
      END IF;
      IF NOT EXISTS (
        SELECT FROM ip_check c LEFT JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = 'ip_check:' || c.id
        WHERE c.id = checked AND CASE
          WHEN c.is_free THEN p.id IS NULL
          ELSE p.id IS NOT NULL
            AND (p.user_id, p.currency, p.status, p.amount) = (c.user_id, 'USD', 'completed', -c.amount)
            AND (c.status = 'failed') = EXISTS (SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id)
        END
      ) THEN
        RAISE EXCEPTION 'a check of an address is free, or paid for, or failed and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER ip_check_booked AFTER INSERT OR UPDATE OF status ON ip_check
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ip_check_check_booked()
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER wallet_transaction_of_ip_check AFTER INSERT ON wallet_transaction
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.transaction_type = 'refund' OR NEW.reference LIKE 'ip_check:%')
    EXECUTE FUNCTION ip_check_check_booked()
  `
})

/**
 * Published lists of addresses. A load replaces a list in a single transaction; the last good version stays until then.
 */
const blocklists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE blocklist (
      id text PRIMARY KEY,
      generation integer NOT NULL CHECK (generation >= 0),
      networks integer NOT NULL CHECK (networks >= 0),
      sha256 text,
      etag text,
      last_modified text,
      synced_at timestamptz,
      sync_at timestamptz NOT NULL,
      lease_ends_at timestamptz,
      failures integer NOT NULL CHECK (failures >= 0),
      failure text,
      CHECK ((generation = 0) = (synced_at IS NULL)),
      CHECK ((generation = 0) = (sha256 IS NULL)),
      CHECK (generation > 0 OR networks = 0),
      CHECK ((failures = 0) = (failure IS NULL))
    )
  `
  yield* sql`
    CREATE TABLE blocklist_part (
      blocklist_id text NOT NULL REFERENCES blocklist (id),
      part integer NOT NULL CHECK (part >= 0),
      networks cidr[] NOT NULL CHECK (cardinality(networks) > 0),
      PRIMARY KEY (blocklist_id, part)
    )
  `
})

export default Effect.all([checks, blocklists], { discard: true })
