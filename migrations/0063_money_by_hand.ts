import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Money that staff moves. The cause of a ledger entry says what the entry is; without one, it means what it always meant. An
 * entry with a cause belongs to a record that says who, why and who agreed (0064_order_refunds has the other records).
 */
export default Effect.gen(function* () {
  yield* causes
  yield* refunds
  yield* returned
  yield* adjustments
  yield* guards
  yield* limits
})

const causes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE wallet_transaction ADD COLUMN cause text,
      ADD CONSTRAINT wallet_transaction_cause CHECK (
        cause IS NULL OR (status = 'completed' AND CASE transaction_type
          WHEN 'deposit' THEN cause IN ('goodwill', 'correction', 'payout_returned')
          WHEN 'withdrawal' THEN cause IN ('goodwill_revoked', 'correction', 'gateway_refund')
          WHEN 'refund' THEN cause = 'returned'
          ELSE false
        END)
      )
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_keeps_cause BEFORE UPDATE ON wallet_transaction
    FOR EACH ROW WHEN (NEW.cause IS DISTINCT FROM OLD.cause) EXECUTE FUNCTION ledger_refuse()
  `
  // The money that came in and went out, to tell given money from paid money. Purchases are not in it.
  yield* sql`
    CREATE INDEX wallet_transaction_in_and_out ON wallet_transaction (wallet_id)
    WHERE transaction_type IN ('deposit', 'withdrawal')
  `
})

/** A payment is returned whole and once, or in parts that add up to it at most. */
const refunds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wallet_transaction DROP CONSTRAINT IF EXISTS wallet_transaction_refunds_once`
  yield* sql`
    CREATE UNIQUE INDEX wallet_transaction_refunded_once ON wallet_transaction (refunded_transaction_id)
    WHERE transaction_type = 'refund' AND cause IS NULL
  `
  yield* sql`
    CREATE INDEX wallet_transaction_refunds ON wallet_transaction (refunded_transaction_id)
    WHERE refunded_transaction_id IS NOT NULL
  `
  // Bookings of one wallet wait for each other, so each refund sees the earlier ones. Sandbox money returns first.
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check_refund() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      paid wallet_transaction;
      back bigint;
      sandbox_back bigint;
    BEGIN
      SELECT * INTO paid FROM wallet_transaction WHERE id = NEW.refunded_transaction_id;
      SELECT sum(amount), sum(sandbox_after - sandbox_before) INTO back, sandbox_back
      FROM wallet_transaction WHERE refunded_transaction_id = NEW.refunded_transaction_id;
      IF (paid.wallet_id, paid.transaction_type, paid.status, paid.order_id)
          IS DISTINCT FROM (NEW.wallet_id, 'payment', 'completed', NEW.order_id)
        OR (NEW.cause IS NULL AND NEW.amount <> -paid.amount) OR back > -paid.amount
        OR sandbox_back <> least(paid.sandbox_before - paid.sandbox_after, back)
      THEN
        RAISE EXCEPTION 'a refund returns one payment, whole or in parts' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF NEW.cause = 'returned' AND NOT (CASE
        WHEN paid.reference = paid.order_id::text THEN EXISTS (
          SELECT FROM proxy_order WHERE id = paid.order_id AND provider_proxy_id IS NOT NULL
            AND status IN ('provisioned', 'expired', 'cancelled')
        )
        WHEN paid.reference LIKE 'change:%' THEN EXISTS (
          SELECT FROM proxy_change WHERE id = substr(paid.reference, length('change:') + 1)::uuid AND status = 'applied'
        )
        ELSE false
      END) THEN
        RAISE EXCEPTION 'only what was delivered is returned in parts' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/** A part that is returned leaves a change or a check as it is: only a whole refund says that it failed. */
const returned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION proxy_change_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked uuid;
    BEGIN
      IF TG_TABLE_NAME = 'proxy_change' THEN
        checked := NEW.id;
      ELSE
        SELECT substr(reference, length('change:') + 1)::uuid INTO checked FROM wallet_transaction
        WHERE id = NEW.refunded_transaction_id AND reference LIKE 'change:%';
      END IF;
      IF EXISTS (
        SELECT FROM proxy_change c LEFT JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = 'change:' || c.id AND p.status = 'completed'
          AND (p.order_id, p.currency, p.amount, p.amount_usd) = (c.order_id, c.currency, -c.total, c.total_usd)
        WHERE c.id = checked AND (
          p.id IS NULL OR (c.status = 'refused') <> EXISTS (
            SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id AND cause IS NULL
          )
        )
      ) THEN
        RAISE EXCEPTION 'a change of a proxy is paid for, or refused and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION ip_check_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
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
            AND (c.status = 'failed') = EXISTS (
              SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id AND cause IS NULL
            )
        END
      ) THEN
        RAISE EXCEPTION 'a check of an address is free, or paid for, or failed and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

const adjustments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A credit or a debit by staff. Its id is the idempotency key of the request. A second person decides above a limit.
  yield* sql`
    CREATE TABLE wallet_adjustment (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      -- Signed, as in the ledger.
      amount bigint NOT NULL CHECK (amount <> 0),
      cause text NOT NULL CHECK (cause IN ('goodwill', 'correction', 'goodwill_revoked')),
      reason_code text NOT NULL CHECK (reason_code ~ '^[a-z_]{1,40}$'),
      -- For staff; the customer reads the other text.
      reason text NOT NULL CHECK (char_length(reason) BETWEEN 3 AND 1000),
      customer_text text CHECK (char_length(customer_text) BETWEEN 3 AND 200),
      order_id uuid REFERENCES proxy_order (id),
      revokes uuid REFERENCES wallet_adjustment (id),
      status text NOT NULL CHECK (status IN ('requested', 'booked', 'declined', 'expired')),
      is_over_limit boolean NOT NULL,
      transaction_id uuid UNIQUE,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      created_by text NOT NULL CHECK (length(created_by) BETWEEN 1 AND 100),
      created_by_name text NOT NULL CHECK (length(created_by_name) BETWEEN 1 AND 200),
      created_by_role text NOT NULL CHECK (created_by_role IN ('owner', 'finance', 'support')),
      decided_by text CHECK (length(decided_by) BETWEEN 1 AND 100),
      decided_by_name text CHECK (length(decided_by_name) BETWEEN 1 AND 200),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      decided_at timestamptz,
      CONSTRAINT wallet_adjustment_sign
        CHECK (CASE cause WHEN 'goodwill' THEN amount > 0 WHEN 'goodwill_revoked' THEN amount < 0 ELSE true END),
      CONSTRAINT wallet_adjustment_revokes CHECK ((cause = 'goodwill_revoked') = (revokes IS NOT NULL)),
      CONSTRAINT wallet_adjustment_has_entry CHECK ((status = 'booked') = (transaction_id IS NOT NULL)),
      CONSTRAINT wallet_adjustment_four_eyes CHECK (decided_by <> created_by),
      CONSTRAINT wallet_adjustment_decided CHECK (
        (decided_by IS NULL) = (decided_by_name IS NULL) AND (status = 'requested') = (decided_at IS NULL)
        AND CASE status WHEN 'booked' THEN decided_by IS NOT NULL OR NOT is_over_limit
          WHEN 'declined' THEN decided_by IS NOT NULL ELSE decided_by IS NULL END
      ),
      CONSTRAINT wallet_adjustment_booked FOREIGN KEY (transaction_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`CREATE INDEX wallet_adjustment_of_user ON wallet_adjustment (user_id, created_at)`
  yield* sql`CREATE INDEX wallet_adjustment_of_staff ON wallet_adjustment (created_by, created_at)`
  yield* sql`CREATE INDEX wallet_adjustment_waiting ON wallet_adjustment (expires_at) WHERE status = 'requested'`
  yield* sql`CREATE INDEX wallet_adjustment_revocations ON wallet_adjustment (revokes) WHERE revokes IS NOT NULL`
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION money_record_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a record of money is decided once, and stays' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE FUNCTION wallet_adjustment_decide() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changes text[] := '{status,transaction_id,entry_status,decided_by,decided_by_name,decided_at}';
    BEGIN
      IF OLD.status <> 'requested' OR to_jsonb(NEW) - changes <> to_jsonb(OLD) - changes THEN
        RAISE EXCEPTION 'a record of money is decided once, and stays' USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_adjustment_decided_once BEFORE UPDATE ON wallet_adjustment
    FOR EACH ROW EXECUTE FUNCTION wallet_adjustment_decide()
  `
  yield* sql`
    CREATE TRIGGER wallet_adjustment_keep BEFORE DELETE OR TRUNCATE ON wallet_adjustment
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
  yield* sql`
    CREATE FUNCTION wallet_adjustment_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      given wallet_adjustment;
    BEGIN
      IF NOT EXISTS (SELECT FROM wallet_transaction WHERE id = NEW.transaction_id AND cause = NEW.cause) THEN
        RAISE EXCEPTION 'a booked adjustment has its entry' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF NEW.revokes IS NOT NULL THEN
        -- Locked, so that two revocations see each other.
        SELECT * INTO given FROM wallet_adjustment WHERE id = NEW.revokes FOR NO KEY UPDATE;
        IF (given.user_id, given.currency, given.cause, given.status)
            IS DISTINCT FROM (NEW.user_id, NEW.currency, 'goodwill', 'booked')
          OR given.amount < (SELECT -sum(amount) FROM wallet_adjustment WHERE revokes = given.id AND status = 'booked')
        THEN
          RAISE EXCEPTION 'no more is revoked than was given' USING ERRCODE = 'check_violation';
        END IF;
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER wallet_adjustment_has_its_entry AFTER INSERT OR UPDATE ON wallet_adjustment
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status = 'booked') EXECUTE FUNCTION wallet_adjustment_check()
  `
})

/** The amounts that a person of a role moves alone. Null is without a limit; a missing row needs a second person always. */
const limits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE staff_limit (
      role text NOT NULL CHECK (role IN ('owner', 'finance', 'support')),
      action text NOT NULL CHECK (action IN ('goodwill', 'correction', 'refund_wallet', 'refund_gateway')),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      per_action bigint CHECK (per_action > 0),
      per_customer_30d bigint CHECK (per_customer_30d > 0),
      per_staff_day bigint CHECK (per_staff_day > 0),
      PRIMARY KEY (role, action, currency)
    )
  `
  yield* sql`
    INSERT INTO staff_limit (role, action, currency, per_action, per_customer_30d, per_staff_day)
    SELECT 'owner', action, currency, NULL::bigint, NULL::bigint, NULL::bigint
    FROM unnest(ARRAY['goodwill', 'correction', 'refund_wallet', 'refund_gateway']) action,
      unnest(ARRAY['USD', 'STAR']) currency
    UNION ALL
    SELECT 'finance', action, 'USD', 500000000, NULL, NULL
    FROM unnest(ARRAY['goodwill', 'correction', 'refund_wallet', 'refund_gateway']) action
    UNION ALL VALUES
      ('support', 'goodwill', 'USD', 10000000, 50000000, 200000000),
      ('support', 'refund_wallet', 'USD', 50000000, NULL, NULL)
  `
})
