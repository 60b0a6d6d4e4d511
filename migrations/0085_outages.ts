import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Outages of proxies, automatic replacements, and credits for the time that was lost. A credit is a claim with a ledger entry of
 * its own cause.
 */
export default Effect.gen(function* () {
  yield* outages
  yield* claims
  yield* causes
})

const outages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE proxy_order ADD COLUMN auto_replace boolean NOT NULL DEFAULT true`
  yield* sql`
    CREATE TABLE proxy_outage (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      -- The first failure in a row, and the moment at which the proxy worked again, had another address, had ended, or was
      -- tried for the last time.
      from_at timestamptz NOT NULL,
      to_at timestamptz,
      ended_by text CHECK (ended_by IN ('works', 'replaced', 'ended', 'untried')),
      error text NOT NULL CHECK (length(error) BETWEEN 1 AND 40),
      -- The last automatic replacement that was begun.
      tried_at timestamptz,
      -- True once the credit is decided: it was booked, or there is none.
      settled boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      CONSTRAINT proxy_outage_ended CHECK ((to_at IS NULL) = (ended_by IS NULL) AND to_at >= from_at),
      CONSTRAINT proxy_outage_settled CHECK (NOT settled OR to_at IS NOT NULL)
    )
  `
  yield* sql`CREATE UNIQUE INDEX proxy_outage_open ON proxy_outage (order_id) WHERE to_at IS NULL`
  yield* sql`CREATE INDEX proxy_outage_of_order ON proxy_outage (order_id, from_at)`
  yield* sql`CREATE INDEX proxy_outage_due ON proxy_outage (to_at) WHERE NOT settled AND to_at IS NOT NULL`
  yield* sql`CREATE INDEX proxy_outage_tried ON proxy_outage (tried_at) WHERE tried_at IS NOT NULL`
  // What an outage says stays: a credit rests on it.
  yield* sql`
    CREATE FUNCTION proxy_outage_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'an outage ends once, and then only its credit is decided' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_outage_goes_forward BEFORE UPDATE ON proxy_outage
    FOR EACH ROW WHEN (
      to_jsonb(NEW) - '{to_at,ended_by,tried_at,settled}'::text[] <> to_jsonb(OLD) - '{to_at,ended_by,tried_at,settled}'::text[]
      OR (OLD.to_at IS NOT NULL AND (NEW.to_at, NEW.ended_by) IS DISTINCT FROM (OLD.to_at, OLD.ended_by))
      OR (OLD.settled AND NOT NEW.settled)
    ) EXECUTE FUNCTION proxy_outage_refuse()
  `
  // Outages of a proxy never overlap, so that no second is credited twice.
  yield* sql`
    CREATE FUNCTION proxy_outage_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM proxy_outage WHERE order_id = NEW.order_id AND id <> NEW.id AND to_at > NEW.from_at) THEN
        RAISE EXCEPTION 'an outage begins after the one before' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_outage_apart AFTER INSERT ON proxy_outage
    FOR EACH ROW EXECUTE FUNCTION proxy_outage_check()
  `
  yield* sql`
    CREATE TRIGGER proxy_outage_keep BEFORE DELETE OR TRUNCATE ON proxy_outage
    FOR EACH STATEMENT EXECUTE FUNCTION proxy_outage_refuse()
  `
})

const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The share of a payment for the seconds that an outage took from the time that the payment bought.
  yield* sql`
    CREATE TABLE warranty_claim (
      id uuid PRIMARY KEY,
      outage_id uuid NOT NULL UNIQUE REFERENCES proxy_outage (id),
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      user_id uuid NOT NULL REFERENCES user_account (id),
      payment_id uuid NOT NULL REFERENCES wallet_transaction (id),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      paid bigint NOT NULL CHECK (paid > 0),
      down_seconds bigint NOT NULL CHECK (down_seconds > 0),
      period_seconds bigint NOT NULL CHECK (period_seconds > 0),
      amount bigint NOT NULL CHECK (amount > 0),
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      transaction_id uuid NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      CONSTRAINT warranty_claim_share CHECK (
        down_seconds <= period_seconds AND amount <= div(paid::numeric * down_seconds, period_seconds)
      ),
      CONSTRAINT warranty_claim_booked FOREIGN KEY (transaction_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`CREATE INDEX warranty_claim_of_order ON warranty_claim (order_id, created_at)`
  yield* sql`CREATE INDEX warranty_claim_of_payment ON warranty_claim (payment_id)`
  yield* sql`CREATE INDEX warranty_claim_of_user ON warranty_claim (user_id, created_at)`
  yield* sql`
    CREATE TRIGGER warranty_claim_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON warranty_claim
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
  // A claim is about its own outage, order and payment, and credits a payment never more than what stands of it.
  yield* sql`
    CREATE FUNCTION warranty_claim_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM proxy_outage g JOIN proxy_order o ON o.id = g.order_id
        JOIN wallet_transaction p ON p.id = NEW.payment_id AND p.order_id = o.id AND p.transaction_type = 'payment'
        WHERE g.id = NEW.outage_id AND o.id = NEW.order_id AND o.user_id = NEW.user_id
          AND (p.user_id, p.currency, -p.amount) = (NEW.user_id, NEW.currency, NEW.paid)
          AND NEW.down_seconds <= extract(epoch FROM g.to_at - g.from_at)
      ) OR NOT EXISTS (SELECT FROM wallet_transaction WHERE id = NEW.transaction_id AND cause = 'warranty')
        OR NEW.paid < (SELECT sum(amount) FROM warranty_claim WHERE payment_id = NEW.payment_id) + (
          SELECT coalesce(sum(amount), 0) FROM wallet_transaction WHERE refunded_transaction_id = NEW.payment_id
            AND seq < (SELECT seq FROM wallet_transaction WHERE id = NEW.transaction_id)
        )
      THEN
        RAISE EXCEPTION 'a claim has its outage, its payment and its entry' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER warranty_claim_check AFTER INSERT ON warranty_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warranty_claim_check()
  `
})

/** The entry of a claim has a cause of its own, and is nothing without its claim. */
const causes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE wallet_transaction DROP CONSTRAINT wallet_transaction_cause, ADD CONSTRAINT wallet_transaction_cause CHECK (
      cause IS NULL OR (status = 'completed' AND CASE transaction_type
        WHEN 'deposit' THEN cause IN ('goodwill', 'correction', 'payout_returned', 'payout_declined', 'warranty')
        WHEN 'withdrawal' THEN cause IN ('goodwill_revoked', 'correction', 'gateway_refund', 'payout')
        WHEN 'refund' THEN cause = 'returned'
        ELSE false
      END)
    )
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check_record() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT (CASE
        WHEN NEW.cause IN ('goodwill', 'goodwill_revoked', 'correction') THEN
          EXISTS (SELECT FROM wallet_adjustment WHERE transaction_id = NEW.id AND cause = NEW.cause)
        WHEN NEW.cause = 'warranty' THEN EXISTS (SELECT FROM warranty_claim WHERE transaction_id = NEW.id)
        WHEN NEW.cause = 'gateway_refund' THEN EXISTS (SELECT FROM gateway_refund WHERE withdrawal_id = NEW.id)
        WHEN NEW.cause = 'payout_returned' THEN EXISTS (SELECT FROM gateway_refund WHERE return_id = NEW.id)
        WHEN NEW.cause = 'payout' THEN EXISTS (SELECT FROM payout WHERE withdrawal_id = NEW.id)
        WHEN NEW.cause = 'payout_declined' THEN EXISTS (SELECT FROM payout WHERE return_id = NEW.id)
        WHEN NEW.transaction_type = 'refund' THEN EXISTS (SELECT FROM order_refund_part WHERE transaction_id = NEW.id)
        ELSE EXISTS (SELECT FROM payment_reversal WHERE debit_id = NEW.id OR return_id = NEW.id)
          OR EXISTS (SELECT FROM payment_reversal_debit WHERE debit_id = NEW.id)
          OR EXISTS (SELECT FROM referral_share WHERE transaction_id = NEW.id OR return_id = NEW.id)
      END) THEN
        RAISE EXCEPTION 'this entry has no record' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})
