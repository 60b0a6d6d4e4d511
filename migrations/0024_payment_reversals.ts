import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Reversals are refunds and disputes by which a gateway takes a charge back, in full or in part. Each debits the wallet
 * once, and credits it again when the gateway returns the money. Until that, or until an operator lifts the reversal,
 * the account buys nothing.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE payment_callback
      DROP CONSTRAINT payment_callback_outcome_check,
      ADD CONSTRAINT payment_callback_outcome_check CHECK (outcome IN ('received', 'refused', 'unchecked', 'ignored',
        'unmatched', 'duplicate', 'declined', 'reversed', 'paid', 'credited'))
  `
  yield* sql`ALTER TABLE wallet ADD COLUMN purchases_stopped boolean NOT NULL DEFAULT false`
  yield* sql`
    CREATE TABLE payment_reversal (
      payment_method text NOT NULL,
      reversal_id text NOT NULL CHECK (length(reversal_id) BETWEEN 1 AND 255),
      charge_id text NOT NULL,
      user_id uuid NOT NULL,
      currency text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('refund', 'dispute')),
      -- A gateway may announce a dispute before it takes the money, and may return the money later.
      status text NOT NULL CHECK (status IN ('announced', 'taken', 'returned')),
      amount bigint NOT NULL CHECK (amount >= 0),
      debited bigint NOT NULL CHECK (debited BETWEEN 0 AND amount),
      debit_amount bigint GENERATED ALWAYS AS (-debited) STORED,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      debit_id uuid UNIQUE,
      return_id uuid UNIQUE,
      lifted_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (payment_method, reversal_id),
      CONSTRAINT payment_reversal_of_charge FOREIGN KEY (payment_method, charge_id, user_id, currency)
        REFERENCES payment_charge (payment_method, charge_id, user_id, currency),
      CONSTRAINT payment_reversal_debited FOREIGN KEY (debit_id, user_id, currency, debit_amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT payment_reversal_returned FOREIGN KEY (return_id, user_id, currency, debited, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CHECK ((debit_id IS NOT NULL) = (debited > 0)),
      CHECK ((return_id IS NOT NULL) = (status = 'returned' AND debited > 0)),
      CHECK (status <> 'announced' OR amount = 0)
    )
  `
  yield* sql`CREATE INDEX payment_reversal_of_a_charge ON payment_reversal (payment_method, charge_id)`
  yield* sql`
    CREATE INDEX payment_reversal_open ON payment_reversal (user_id) WHERE lifted_at IS NULL AND status <> 'returned'
  `
  yield* guards
  yield* stops
  yield* records
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION payment_reversal_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.payment_method, NEW.reversal_id, NEW.charge_id, NEW.user_id, NEW.currency, NEW.kind, NEW.created_at)
          IS DISTINCT FROM
         (OLD.payment_method, OLD.reversal_id, OLD.charge_id, OLD.user_id, OLD.currency, OLD.kind, OLD.created_at)
        OR (OLD.status <> 'announced'
          AND (NEW.amount, NEW.debited, NEW.debit_id) IS DISTINCT FROM (OLD.amount, OLD.debited, OLD.debit_id))
        OR (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN
          (('announced', 'taken'), ('announced', 'returned'), ('taken', 'returned')))
      THEN
        RAISE EXCEPTION 'a reversal may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_moves BEFORE UPDATE ON payment_reversal
    FOR EACH ROW EXECUTE FUNCTION payment_reversal_moves()
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_keep BEFORE DELETE OR TRUNCATE ON payment_reversal
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
  yield* sql`
    CREATE FUNCTION payment_reversal_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT sum(amount) FROM payment_reversal
          WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id AND status = 'taken')
        > (SELECT amount FROM payment_charge WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id)
      THEN
        RAISE EXCEPTION 'no more is taken back than came in' USING ERRCODE = 'check_violation';
      END IF;
      UPDATE wallet w SET purchases_stopped = s.stopped
      FROM (
        SELECT EXISTS (
          SELECT FROM payment_reversal WHERE user_id = NEW.user_id AND lifted_at IS NULL AND status <> 'returned'
        ) AS stopped
      ) s WHERE w.user_id = NEW.user_id AND w.purchases_stopped <> s.stopped;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_holds AFTER INSERT OR UPDATE ON payment_reversal
    FOR EACH ROW EXECUTE FUNCTION payment_reversal_check()
  `
})

const stops = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      last bigint;
      stopped boolean;
    BEGIN
      SELECT coalesce(seq, 0), purchases_stopped INTO last, stopped FROM wallet WHERE id = NEW.wallet_id;
      IF NEW.seq > last THEN
        RAISE EXCEPTION 'the wallet does not count this entry' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      IF stopped AND NEW.transaction_type = 'payment' THEN
        RAISE EXCEPTION 'the purchases of this account are stopped' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.sandbox_after - NEW.sandbox_before <> (CASE
        WHEN NEW.reference LIKE 'referral:%:sandbox_%' OR NEW.reference LIKE 'reversal:%:sandbox_%'
          OR EXISTS (SELECT FROM payment_charge WHERE transaction_id = NEW.id AND is_sandbox)
        THEN NEW.amount ELSE 0
      END) THEN
        RAISE EXCEPTION 'sandbox money is marked, and no other' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/** A withdrawal, a share or a return needs the record with its reason. */
const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION wallet_transaction_check_record() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM payment_reversal WHERE debit_id = NEW.id OR return_id = NEW.id)
        AND NOT EXISTS (SELECT FROM referral_share WHERE transaction_id = NEW.id OR return_id = NEW.id)
      THEN
        RAISE EXCEPTION 'this entry has no record' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER wallet_transaction_recorded AFTER INSERT ON wallet_transaction
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (
      NEW.transaction_type = 'withdrawal' OR NEW.reference LIKE 'referral:%' OR NEW.reference LIKE 'reversal:%'
    ) EXECUTE FUNCTION wallet_transaction_check_record()
  `
})
