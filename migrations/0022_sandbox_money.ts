import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Separates sandbox money in every balance. Each completed entry names the part of the balance before and after it that
 * came from the sandbox. These parts form a chain like the balances: a wallet's part is the sum of its entries.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Only the sandbox uses charge ids of this form.
  yield* sql`
    ALTER TABLE payment_charge
      ADD COLUMN is_sandbox boolean GENERATED ALWAYS AS (starts_with(charge_id, 'sandbox_')) STORED
  `
  yield* sql`
    ALTER TABLE wallet
      ADD COLUMN sandbox_balance bigint NOT NULL DEFAULT 0,
      -- The part before the last booking, whose entries begin there.
      ADD COLUMN sandbox_before bigint NOT NULL DEFAULT 0
  `
  yield* sql`
    ALTER TABLE wallet_transaction
      ADD COLUMN sandbox_before bigint NOT NULL DEFAULT 0,
      ADD COLUMN sandbox_after bigint NOT NULL DEFAULT 0
  `
  yield* marked
  yield* chained
  yield* guards
})

/**
 * Marks the money that came from the sandbox before this migration, as if customers had spent it before other money.
 */
const marked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wallet_transaction DISABLE TRIGGER wallet_transaction_settle_only`
  yield* sql`ALTER TABLE wallet DROP CONSTRAINT wallet_balance_is_of_last_entry`
  yield* sql`
    DO $$
    DECLARE
      held bigint;
      change bigint;
      marked uuid;
      entry record;
    BEGIN
      FOR marked IN
        SELECT wallet_id FROM wallet_transaction t JOIN payment_charge c ON c.transaction_id = t.id WHERE c.is_sandbox
        UNION
        SELECT wallet_id FROM wallet_transaction
        WHERE transaction_type = 'deposit' AND reference LIKE 'referral:%:sandbox_%'
      LOOP
        held := 0;
        FOR entry IN
          SELECT t.*, coalesce(c.is_sandbox, t.reference LIKE 'referral:%:sandbox_%') AS is_sandbox
          FROM wallet_transaction t LEFT JOIN payment_charge c ON c.transaction_id = t.id
          WHERE t.wallet_id = marked AND t.status = 'completed' ORDER BY t.seq
        LOOP
          change := CASE entry.transaction_type
            WHEN 'deposit' THEN CASE WHEN entry.is_sandbox THEN entry.amount ELSE 0 END
            WHEN 'refund' THEN
              (SELECT sandbox_before - sandbox_after FROM wallet_transaction WHERE id = entry.refunded_transaction_id)
            ELSE -least(held, -entry.amount)
          END;
          UPDATE wallet_transaction SET sandbox_before = held, sandbox_after = held + change WHERE id = entry.id;
          held := held + change;
        END LOOP;
        UPDATE wallet SET sandbox_balance = held WHERE id = marked;
      END LOOP;
    END $$
  `
  yield* sql`SET CONSTRAINTS ALL IMMEDIATE`
  yield* sql`SET CONSTRAINTS ALL DEFERRED`
  yield* sql`ALTER TABLE wallet_transaction ENABLE TRIGGER wallet_transaction_settle_only`
})

const chained = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE wallet_transaction
      DROP CONSTRAINT wallet_transaction_follows,
      DROP CONSTRAINT wallet_transaction_link,
      ADD CONSTRAINT wallet_transaction_link UNIQUE (wallet_id, seq, balance_after, sandbox_after),
      ADD CONSTRAINT wallet_transaction_sandbox_share CHECK (
        sandbox_before >= 0 AND sandbox_after >= 0
        AND sandbox_before <= coalesce(balance_before, 0) AND sandbox_after <= coalesce(balance_after, 0)
        AND sandbox_after - sandbox_before BETWEEN least(amount, 0) AND greatest(amount, 0)
      ),
      ADD CONSTRAINT wallet_transaction_starts_without_sandbox CHECK (seq <> 1 OR sandbox_before = 0)
  `
  yield* sql`
    ALTER TABLE wallet_transaction ADD CONSTRAINT wallet_transaction_follows
      FOREIGN KEY (wallet_id, previous_seq, balance_before, sandbox_before)
      REFERENCES wallet_transaction (wallet_id, seq, balance_after, sandbox_after)
  `
  yield* sql`
    ALTER TABLE wallet
      ADD CONSTRAINT wallet_sandbox_share CHECK (sandbox_balance BETWEEN 0 AND balance),
      ADD CONSTRAINT wallet_balance_is_of_last_entry
        FOREIGN KEY (id, seq, balance, sandbox_balance)
        REFERENCES wallet_transaction (wallet_id, seq, balance_after, sandbox_after)
  `
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A deposit from the sandbox, or a share of one, is marked in full; no other deposit is marked.
  yield* sql`
    CREATE FUNCTION wallet_transaction_check_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.sandbox_after - NEW.sandbox_before <> (CASE
        WHEN NEW.reference LIKE 'referral:%:sandbox_%'
          OR EXISTS (SELECT FROM payment_charge WHERE transaction_id = NEW.id AND is_sandbox)
        THEN NEW.amount ELSE 0
      END) THEN
        RAISE EXCEPTION 'sandbox money is marked, and no other' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_sandbox AFTER INSERT OR UPDATE ON wallet_transaction
    FOR EACH ROW WHEN (NEW.status = 'completed' AND NEW.transaction_type = 'deposit')
    EXECUTE FUNCTION wallet_transaction_check_sandbox()
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check_refund() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM wallet_transaction
        WHERE id = NEW.refunded_transaction_id AND wallet_id = NEW.wallet_id AND transaction_type = 'payment'
          AND status = 'completed' AND amount = -NEW.amount AND order_id IS NOT DISTINCT FROM NEW.order_id
          AND sandbox_before - sandbox_after = NEW.sandbox_after - NEW.sandbox_before
      ) THEN
        RAISE EXCEPTION 'a refund returns one payment, whole' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})
