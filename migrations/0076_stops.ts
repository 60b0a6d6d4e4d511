import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A withdrawal that a restriction or a dispute stops is not sent, and nobody approves money that the same person gave. */
const payouts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION payout_may_go() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      since timestamptz := NEW.approved_at - interval '30 days';
    BEGIN
      -- Locked, so that a restriction or a dispute of the same moment is seen.
      PERFORM FROM wallet WHERE user_id = NEW.user_id ORDER BY currency FOR NO KEY UPDATE;
      IF payout_stop_of(NEW.user_id) IS NOT NULL THEN
        RAISE EXCEPTION 'a restriction or a dispute stops this payout' USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.status = 'approved' AND payout_given_by(NEW.user_id, NEW.approved_by, since) THEN
        RAISE EXCEPTION 'nobody approves money that the same person gave' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE FUNCTION payout_stop_of(owner uuid) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT CASE WHEN bool_or(spending_blocked) THEN 'restriction' WHEN bool_or(purchases_stopped) THEN 'dispute' END
      FROM wallet WHERE user_id = owner
    $$
  `
  // True when the person made or decided a credit or a refund to the wallet of the account since then.
  yield* sql`
    CREATE FUNCTION payout_given_by(owner uuid, person text, since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT EXISTS (
        SELECT FROM wallet_adjustment WHERE user_id = owner AND status = 'booked' AND amount > 0 AND decided_at > since
          AND person IN (created_by, decided_by)
      ) OR EXISTS (
        SELECT FROM order_refund WHERE user_id = owner AND status = 'booked' AND destination = 'wallet' AND decided_at > since
          AND person IN (created_by, decided_by)
      )
    $$
  `
  yield* sql`
    CREATE TRIGGER payout_may_go BEFORE UPDATE OF status ON payout
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status IN ('approved', 'sent')) EXECUTE FUNCTION payout_may_go()
  `
  // The oldest of those that wait comes first.
  yield* sql`DROP INDEX payout_open`
  yield* sql`CREATE INDEX payout_open ON payout (status, created_at, id) WHERE status IN ('requested', 'approved')`
})

/** A stranger who takes an account over cannot withdraw its money at once. */
const credentials = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The last change of the password or the email; null when none is known.
  yield* sql`ALTER TABLE user_account ADD COLUMN credentials_changed_at timestamptz`
  yield* sql`
    CREATE FUNCTION user_account_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.credentials_changed_at := NEW.updated_at;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER user_account_note_change BEFORE UPDATE OF email, password_hash ON user_account
    FOR EACH ROW WHEN ((OLD.email, OLD.password_hash) IS DISTINCT FROM (NEW.email, NEW.password_hash))
    EXECUTE FUNCTION user_account_note_change()
  `
  yield* sql`
    CREATE FUNCTION payout_waits() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM user_account WHERE id = NEW.user_id AND credentials_changed_at > NEW.created_at - interval '7 days'
      ) THEN
        RAISE EXCEPTION 'a payout waits for 7 days after a change of the password or the email'
          USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`CREATE TRIGGER payout_waits BEFORE INSERT ON payout FOR EACH ROW EXECUTE FUNCTION payout_waits()`
})

/** With an account, the destinations of its payouts go from everywhere. */
const destinations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION payout_of_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM payout WHERE user_id = NEW.id AND status IN ('requested', 'approved')) THEN
        RAISE EXCEPTION 'a payout of this account is open' USING ERRCODE = 'check_violation';
      END IF;
      UPDATE payout SET destination = NULL WHERE user_id = NEW.id AND destination IS NOT NULL;
      DELETE FROM notification WHERE user_id = NEW.id AND kind = 'payout';
      RETURN NULL;
    END $$
  `
  // A key answers with a masked destination.
  yield* sql`ALTER TABLE staff_action DISABLE TRIGGER USER`
  yield* sql`
    UPDATE staff_action SET answer = answer || jsonb_build_object('destination', '***' || right(answer->>'destination', 4))
    WHERE operation IN ('approvePayout', 'sendPayout', 'declinePayout') AND answer->>'destination' IS NOT NULL
  `
  yield* sql`ALTER TABLE staff_action ENABLE TRIGGER USER`
  yield* sql`
    DELETE FROM notification n USING user_account a WHERE a.id = n.user_id AND a.deleted_at IS NOT NULL AND n.kind = 'payout'
  `
})

/** Money that comes back to a wallet later covers what a refund or a dispute did not find there. */
const debts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE payment_reversal_debit (
      debit_id uuid PRIMARY KEY,
      payment_method text NOT NULL,
      reversal_id text NOT NULL,
      user_id uuid NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      debited bigint GENERATED ALWAYS AS (-amount) STORED,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      created_at timestamptz NOT NULL,
      FOREIGN KEY (payment_method, reversal_id) REFERENCES payment_reversal (payment_method, reversal_id),
      CONSTRAINT payment_reversal_debit_booked FOREIGN KEY (debit_id, user_id, currency, debited, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`CREATE INDEX payment_reversal_debit_of ON payment_reversal_debit (payment_method, reversal_id)`
  yield* sql`CREATE INDEX payment_reversal_debit_of_user ON payment_reversal_debit (user_id)`
  yield* sql`
    CREATE TRIGGER payment_reversal_debit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_reversal_debit
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
  yield* sql`
    CREATE OR REPLACE VIEW payment_claim AS
    SELECT payment_method, charge_id, reversal_id, CASE status WHEN 'taken' THEN amount ELSE 0 END AS claimed,
      debited - given_back AS held
    FROM payment_reversal
    UNION ALL
    SELECT payment_method, charge_id, NULL, CASE status WHEN 'failed' THEN 0 ELSE amount END, amount - given_back
    FROM gateway_refund
    UNION ALL
    SELECT r.payment_method, r.charge_id, r.reversal_id, 0, d.amount
    FROM payment_reversal_debit d JOIN payment_reversal r USING (payment_method, reversal_id)
  `
  yield* sql`
    CREATE FUNCTION payment_reversal_debit_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      of payment_reversal;
    BEGIN
      SELECT * INTO of FROM payment_reversal WHERE payment_method = NEW.payment_method AND reversal_id = NEW.reversal_id;
      -- Locked, so that all that takes this charge back sees each other.
      PERFORM FROM payment_charge WHERE payment_method = of.payment_method AND charge_id = of.charge_id FOR NO KEY UPDATE;
      IF (of.user_id, of.currency, of.status) IS DISTINCT FROM (NEW.user_id, NEW.currency, 'taken') OR EXISTS (
        SELECT FROM payment_taken_back WHERE payment_method = of.payment_method AND charge_id = of.charge_id AND held > claimed
      ) THEN
        RAISE EXCEPTION 'a wallet pays what a refund or a dispute still claims' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_debit_check AFTER INSERT ON payment_reversal_debit
    FOR EACH ROW EXECUTE FUNCTION payment_reversal_debit_check()
  `
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
          OR EXISTS (SELECT FROM payment_reversal_debit WHERE debit_id = NEW.id)
          OR EXISTS (SELECT FROM referral_share WHERE transaction_id = NEW.id OR return_id = NEW.id)
      END) THEN
        RAISE EXCEPTION 'this entry has no record' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/** An open pause may get a later end. A pause whose time is over stays findable for staff. */
const pauses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER sales_pause_changes_once ON sales_pause`
  yield* sql`
    CREATE TRIGGER sales_pause_changes_once BEFORE UPDATE ON sales_pause
    FOR EACH ROW WHEN (
      OLD.lifted_at IS NOT NULL OR CASE
        WHEN NEW.lifted_at IS NULL THEN
          NEW.until_at <= OLD.until_at OR to_jsonb(NEW) - 'until_at'::text <> to_jsonb(OLD) - 'until_at'::text
        ELSE to_jsonb(NEW) - '{lifted_at,lifted_by,lift_reason}'::text[]
          <> to_jsonb(OLD) - '{lifted_at,lifted_by,lift_reason}'::text[]
      END
    ) EXECUTE FUNCTION sales_pause_refuse()
  `
  yield* sql`CREATE INDEX sales_pause_ended ON sales_pause (lifted_at) WHERE lifted_at >= until_at`
})

/** A deletion makes the closure of its account due again, so that a job that settles it at the same moment keeps it. */
const closures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION account_closure_begin() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      proxies uuid[];
    BEGIN
      -- Locked in the order of their ids, as traffic reports lock them.
      SELECT array_agg(id) INTO proxies FROM (
        SELECT p.id FROM gateway_proxy p JOIN proxy_order o ON o.id = p.reference
        WHERE o.user_id = NEW.id AND p.status = 'open' ORDER BY p.id FOR UPDATE OF p
      ) open;
      UPDATE gateway_proxy SET status = 'closed', updated_at = NEW.deleted_at
      WHERE id = ANY (proxies) AND status = 'open';
      PERFORM wake_gateway_proxy(proxies);
      INSERT INTO account_closure (user_id, due_at) VALUES (NEW.id, NEW.deleted_at)
      ON CONFLICT (user_id) DO UPDATE SET due_at = excluded.due_at, tried_to = NULL;
      RETURN NULL;
    END $$
  `
})

export default Effect.all([payouts, credentials, destinations, debts, pauses, closures], { discard: true })
