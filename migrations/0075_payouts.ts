import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Customers ask for money of their wallet. It leaves the wallet at once, into the request. Staff send it by hand, or decline
 * it, and then it returns. Disputes keep what the gateway tells about them, and the restriction that they place.
 */
export default Effect.gen(function* () {
  yield* causes
  yield* payouts
  yield* moves
  yield* records
  yield* accounts
  yield* limits
  yield* notices
  yield* disputes
})

const causes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE wallet_transaction DROP CONSTRAINT wallet_transaction_cause, ADD CONSTRAINT wallet_transaction_cause CHECK (
      cause IS NULL OR (status = 'completed' AND CASE transaction_type
        WHEN 'deposit' THEN cause IN ('goodwill', 'correction', 'payout_returned', 'payout_declined')
        WHEN 'withdrawal' THEN cause IN ('goodwill_revoked', 'correction', 'gateway_refund', 'payout')
        WHEN 'refund' THEN cause = 'returned'
        ELSE false
      END)
    )
  `
  // Money that a dispute may claim, or of an account that the operator has stopped, does not leave.
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
      IF stopped AND (NEW.transaction_type = 'payment' OR NEW.cause = 'payout') THEN
        RAISE EXCEPTION 'the purchases of this account are stopped' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

const payouts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The id comes from the form, so that a form that is sent twice asks once.
  yield* sql`
    CREATE TABLE payout (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      currency text NOT NULL CHECK (currency = 'USD'),
      amount bigint NOT NULL CHECK (amount > 0),
      withdrawn bigint GENERATED ALWAYS AS (-amount) STORED,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      -- The account or address that gets the money; null after its account was deleted.
      destination text CHECK (char_length(destination) BETWEEN 3 AND 300),
      status text NOT NULL CHECK (status IN ('requested', 'approved', 'sent', 'declined', 'cancelled')),
      withdrawal_id uuid NOT NULL UNIQUE,
      return_id uuid UNIQUE,
      -- The transfer by which staff sent the money.
      reference text CHECK (char_length(reference) BETWEEN 1 AND 200),
      -- The reason of a decline for the customer.
      customer_text text CHECK (char_length(customer_text) BETWEEN 3 AND 200),
      approved_by text CHECK (length(approved_by) BETWEEN 1 AND 100),
      approved_by_name text CHECK (length(approved_by_name) BETWEEN 1 AND 200),
      approved_at timestamptz,
      settled_by text CHECK (length(settled_by) BETWEEN 1 AND 100),
      settled_by_name text CHECK (length(settled_by_name) BETWEEN 1 AND 200),
      settled_at timestamptz,
      created_at timestamptz NOT NULL,
      CONSTRAINT payout_open_has_destination CHECK (destination IS NOT NULL OR settled_at IS NOT NULL),
      CONSTRAINT payout_returned_or_not CHECK ((return_id IS NOT NULL) = (status IN ('declined', 'cancelled'))),
      CONSTRAINT payout_sent_has_reference CHECK ((reference IS NOT NULL) = (status = 'sent')),
      CONSTRAINT payout_approved CHECK (
        num_nonnulls(approved_by, approved_by_name, approved_at) IN (0, 3)
        AND (status NOT IN ('approved', 'sent') OR approved_by IS NOT NULL)
        AND (status NOT IN ('requested', 'cancelled') OR approved_by IS NULL)
      ),
      CONSTRAINT payout_settled CHECK (
        (settled_at IS NOT NULL) = (status IN ('sent', 'declined', 'cancelled'))
        AND num_nonnulls(settled_by, settled_by_name) = CASE WHEN status IN ('sent', 'declined') THEN 2 ELSE 0 END
      ),
      CONSTRAINT payout_withdrawn FOREIGN KEY (withdrawal_id, user_id, currency, withdrawn, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT payout_returned FOREIGN KEY (return_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`CREATE UNIQUE INDEX payout_one_open ON payout (user_id) WHERE status IN ('requested', 'approved')`
  yield* sql`CREATE INDEX payout_of_user ON payout (user_id, created_at)`
  yield* sql`CREATE INDEX payout_of_staff ON payout (approved_by, approved_at) WHERE approved_by IS NOT NULL`
  yield* sql`CREATE INDEX payout_newest ON payout (created_at, id)`
  yield* sql`CREATE INDEX payout_open ON payout (created_at) WHERE status IN ('requested', 'approved')`
})

const moves = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A settled request stays as it is. Only its destination goes, with the account.
  yield* sql`
    CREATE FUNCTION payout_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changes text[] := '{status,return_id,reference,customer_text,approved_by,approved_by_name,approved_at,settled_by,'
        'settled_by_name,settled_at,withdrawn,entry_status}';
      generated text[] := '{destination,withdrawn,entry_status}';
    BEGIN
      IF OLD.status = NEW.status THEN
        IF OLD.settled_at IS NULL OR NEW.destination IS NOT NULL
          OR to_jsonb(NEW) - generated <> to_jsonb(OLD) - generated
        THEN
          RAISE EXCEPTION 'a payout does not change in this way' USING ERRCODE = 'restrict_violation';
        END IF;
      ELSIF to_jsonb(NEW) - changes <> to_jsonb(OLD) - changes
        OR (OLD.approved_at IS NOT NULL AND NEW.approved_at IS DISTINCT FROM OLD.approved_at)
        OR (OLD.status, NEW.status) NOT IN (('requested', 'approved'), ('requested', 'declined'),
          ('requested', 'cancelled'), ('approved', 'sent'), ('approved', 'declined'))
      THEN
        RAISE EXCEPTION 'a payout may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`CREATE TRIGGER payout_moves BEFORE UPDATE ON payout FOR EACH ROW EXECUTE FUNCTION payout_moves()`
  yield* sql`
    CREATE TRIGGER payout_keep BEFORE DELETE OR TRUNCATE ON payout
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
  yield* sql`
    CREATE FUNCTION payout_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM wallet_transaction WHERE id = NEW.withdrawal_id AND cause = 'payout')
        OR (NEW.return_id IS NOT NULL
          AND NOT EXISTS (SELECT FROM wallet_transaction WHERE id = NEW.return_id AND cause = 'payout_declined'))
      THEN
        RAISE EXCEPTION 'a payout has its entries' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER payout_has_its_entries AFTER INSERT OR UPDATE ON payout
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION payout_check()
  `
})

const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION wallet_transaction_check_record() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT (CASE
        WHEN NEW.cause IN ('goodwill', 'goodwill_revoked', 'correction') THEN
          EXISTS (SELECT FROM wallet_adjustment WHERE transaction_id = NEW.id AND cause = NEW.cause)
        WHEN NEW.cause = 'gateway_refund' THEN EXISTS (SELECT FROM gateway_refund WHERE withdrawal_id = NEW.id)
        WHEN NEW.cause = 'payout_returned' THEN EXISTS (SELECT FROM gateway_refund WHERE return_id = NEW.id)
        WHEN NEW.cause = 'payout' THEN EXISTS (SELECT FROM payout WHERE withdrawal_id = NEW.id)
        WHEN NEW.cause = 'payout_declined' THEN EXISTS (SELECT FROM payout WHERE return_id = NEW.id)
        WHEN NEW.transaction_type = 'refund' THEN EXISTS (SELECT FROM order_refund_part WHERE transaction_id = NEW.id)
        ELSE EXISTS (SELECT FROM payment_reversal WHERE debit_id = NEW.id OR return_id = NEW.id)
          OR EXISTS (SELECT FROM referral_share WHERE transaction_id = NEW.id OR return_id = NEW.id)
      END) THEN
        RAISE EXCEPTION 'this entry has no record' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/** An account with an open request is not deleted. With the account, the destinations of settled ones go. */
const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION payout_of_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM payout WHERE user_id = NEW.id AND status IN ('requested', 'approved')) THEN
        RAISE EXCEPTION 'a payout of this account is open' USING ERRCODE = 'check_violation';
      END IF;
      UPDATE payout SET destination = NULL WHERE user_id = NEW.id AND destination IS NOT NULL;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER user_account_payouts AFTER UPDATE OF deleted_at ON user_account
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION payout_of_deleted()
  `
})

const limits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE staff_limit DROP CONSTRAINT staff_limit_action_check, ADD CONSTRAINT staff_limit_action_check
      CHECK (action IN ('goodwill', 'correction', 'refund_wallet', 'refund_gateway', 'payout'))
  `
  yield* sql`
    INSERT INTO staff_limit (role, action, currency, per_action, per_customer_30d, per_staff_day)
    VALUES ('owner', 'payout', 'USD', NULL, NULL, NULL),
      ('finance', 'payout', 'USD', 500000000, 2000000000, 5000000000)
  `
})

const notices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE notification DROP CONSTRAINT notification_kind_check, ADD CONSTRAINT notification_kind_check
      CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed', 'renewal_price', 'deposit_credited',
        'auto_top_up_made', 'auto_top_up_failed', 'auto_top_up_stopped', 'auto_top_up_limit', 'provisioning_failed',
        'change_failed', 'proxy_reduced', 'proxy_ended', 'webhook_failing', 'webhook_disabled', 'payment_reversed',
        'payment_returned', 'payout'))
  `
})

const disputes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE payment_reversal
      ADD COLUMN dispute_state text
        CHECK (dispute_state IN ('needs_answer', 'under_review', 'won', 'lost', 'closed')),
      ADD COLUMN reason text CHECK (length(reason) BETWEEN 1 AND 100),
      -- The time until which the gateway takes an answer.
      ADD COLUMN answer_by timestamptz,
      -- Placed by the policy of the operator, and lifted when the dispute is over.
      ADD COLUMN restriction_id uuid UNIQUE REFERENCES account_restriction (id),
      ADD CONSTRAINT payment_reversal_is_dispute CHECK (
        kind = 'dispute' OR num_nonnulls(dispute_state, reason, answer_by, restriction_id) = 0
      )
  `
  yield* sql`CREATE INDEX payment_reversal_disputes ON payment_reversal (created_at, reversal_id) WHERE kind = 'dispute'`
  yield* sql`
    CREATE INDEX payment_reversal_to_answer ON payment_reversal (answer_by) WHERE dispute_state = 'needs_answer'
  `
})
