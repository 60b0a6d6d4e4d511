import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Shares of referred payments are held before they are credited, and taken back when the payment is reversed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The client address of the sign-up (IPv6: its /64 network), for 90 days.
  yield* sql`
    ALTER TABLE user_account
      ADD COLUMN signup_address text CHECK (length(signup_address) <= 64),
      ADD CONSTRAINT user_account_deleted_is_nowhere CHECK (deleted_at IS NULL OR signup_address IS NULL)
  `
  yield* sql`
    CREATE INDEX user_account_signup_address ON user_account (created_at) WHERE signup_address IS NOT NULL
  `
  // The payer, as the gateway distinguishes payers; null when it does not.
  yield* sql`
    ALTER TABLE payment_charge
      ADD COLUMN payer text CHECK (length(payer) BETWEEN 1 AND 300),
      ADD CONSTRAINT payment_charge_of_account UNIQUE (payment_method, charge_id, user_id, currency)
  `
  yield* sql`CREATE INDEX payment_charge_payers ON payment_charge (user_id, payer) WHERE payer IS NOT NULL`
  yield* sql`
    CREATE TABLE referral_share (
      payment_method text NOT NULL,
      charge_id text NOT NULL,
      referrer_id uuid NOT NULL REFERENCES user_account (id),
      referred_id uuid NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      status text NOT NULL CHECK (status IN ('held', 'credited', 'refused', 'taken_back')),
      -- The reason why nothing was credited.
      reason text CHECK (reason IN ('same_address', 'same_payer', 'unverified', 'referrer_left', 'reversed')),
      due_at timestamptz NOT NULL,
      transaction_id uuid UNIQUE,
      returned bigint NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND amount),
      return_id uuid UNIQUE,
      return_amount bigint GENERATED ALWAYS AS (-returned) STORED,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (payment_method, charge_id),
      CONSTRAINT referral_share_of_charge FOREIGN KEY (payment_method, charge_id, referred_id, currency)
        REFERENCES payment_charge (payment_method, charge_id, user_id, currency),
      CONSTRAINT referral_share_of_another CHECK (referrer_id <> referred_id),
      CONSTRAINT referral_share_credited FOREIGN KEY (transaction_id, referrer_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT referral_share_returned FOREIGN KEY (return_id, referrer_id, currency, return_amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CHECK (status <> 'credited' OR transaction_id IS NOT NULL),
      CHECK (status NOT IN ('held', 'refused') OR transaction_id IS NULL),
      CHECK ((reason IS NULL) = (status IN ('held', 'credited'))),
      CHECK ((return_id IS NOT NULL) = (returned > 0)),
      CHECK (returned = 0 OR (status = 'taken_back' AND transaction_id IS NOT NULL))
    )
  `
  yield* sql`CREATE INDEX referral_share_due ON referral_share (due_at) WHERE status = 'held'`
  yield* sql`CREATE INDEX referral_share_pending ON referral_share (referrer_id) WHERE status = 'held'`
  yield* sql`
    CREATE FUNCTION referral_share_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.payment_method, NEW.charge_id, NEW.referrer_id, NEW.referred_id, NEW.currency, NEW.amount, NEW.created_at)
          IS DISTINCT FROM
         (OLD.payment_method, OLD.charge_id, OLD.referrer_id, OLD.referred_id, OLD.currency, OLD.amount, OLD.created_at)
        OR (OLD.transaction_id IS NOT NULL AND NEW.transaction_id IS DISTINCT FROM OLD.transaction_id)
        OR (OLD.status <> NEW.status AND NOT (OLD.status = 'held' OR (OLD.status, NEW.status) = ('credited', 'taken_back')))
        OR (OLD.status = NEW.status AND OLD.status <> 'held')
      THEN
        RAISE EXCEPTION 'a share may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER referral_share_moves BEFORE UPDATE ON referral_share
    FOR EACH ROW EXECUTE FUNCTION referral_share_moves()
  `
  yield* sql`
    CREATE TRIGGER referral_share_keep BEFORE DELETE OR TRUNCATE ON referral_share
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
  // Shares that were credited immediately.
  yield* sql`
    INSERT INTO referral_share (payment_method, charge_id, referrer_id, referred_id, currency, amount, status, due_at,
      transaction_id, created_at, updated_at)
    SELECT c.payment_method, c.charge_id, t.user_id, c.user_id, t.currency, t.amount, 'credited', t.created_at, t.id,
      t.created_at, t.created_at
    FROM wallet_transaction t JOIN payment_charge c ON t.reference = 'referral:' || c.payment_method || ':' || c.charge_id
    WHERE t.transaction_type = 'deposit' AND t.reference LIKE 'referral:%' AND t.status = 'completed'
  `
})
