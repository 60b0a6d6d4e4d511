import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The outcome of a refund that this service asked a gateway for. When it fails, its money first covers what other refunds and
 * disputes of the charge claim, and the rest returns to the wallet. The referrer's share follows the outcome.
 */
export default Effect.gen(function* () {
  yield* givenBack
  yield* claims
  yield* shares
})

const givenBack = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The trigger checks the older rule, which the update below breaks.
  yield* sql`DROP TRIGGER gateway_refund_moves ON gateway_refund`
  yield* sql`
    ALTER TABLE gateway_refund
      DROP CONSTRAINT gateway_refund_returned,
      DROP CONSTRAINT gateway_refund_failed,
      ADD COLUMN given_back bigint NOT NULL DEFAULT 0 CHECK (given_back BETWEEN 0 AND amount)
  `
  yield* sql`UPDATE gateway_refund SET given_back = amount WHERE status = 'failed'`
  yield* sql`
    ALTER TABLE gateway_refund
      ADD CONSTRAINT gateway_refund_returned FOREIGN KEY (return_id, user_id, currency, given_back, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      ADD CONSTRAINT gateway_refund_given_back CHECK ((return_id IS NOT NULL) = (given_back > 0)),
      ADD CONSTRAINT gateway_refund_given_back_last CHECK (given_back = 0 OR status = 'failed')
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION gateway_refund_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changes text[] :=
        '{status,gateway_refund_id,failure,given_back,return_id,look_at,sent_at,updated_at,withdrawn,entry_status}';
    BEGIN
      IF to_jsonb(NEW) - changes <> to_jsonb(OLD) - changes
        OR (OLD.gateway_refund_id <> NEW.gateway_refund_id) OR OLD.status = 'failed'
        OR (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (('booked', 'sent'), ('sent', 'unknown'),
          ('sent', 'pending'), ('sent', 'succeeded'), ('sent', 'failed'), ('unknown', 'sent'), ('unknown', 'pending'),
          ('unknown', 'succeeded'), ('unknown', 'failed'), ('pending', 'succeeded'), ('pending', 'failed'),
          ('succeeded', 'failed')))
      THEN
        RAISE EXCEPTION 'a refund at a gateway may not go from % to %', OLD.status, NEW.status
          USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_refund_moves BEFORE UPDATE ON gateway_refund
    FOR EACH ROW EXECUTE FUNCTION gateway_refund_moves()
  `
})

/** A refund that failed claims nothing. What it did not give back covers the claims of others. */
const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE VIEW payment_claim AS
    SELECT payment_method, charge_id, reversal_id, CASE status WHEN 'taken' THEN amount ELSE 0 END AS claimed,
      debited - given_back AS held
    FROM payment_reversal
    UNION ALL
    SELECT payment_method, charge_id, NULL, CASE status WHEN 'failed' THEN 0 ELSE amount END, amount - given_back
    FROM gateway_refund
  `
  // The rule of reversals: a wallet gets back what no other refund or dispute of the charge claims.
  yield* sql`
    CREATE TRIGGER gateway_refund_gives_back AFTER UPDATE OF status ON gateway_refund
    FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION payment_reversal_check()
  `
})

/**
 * A share that was taken back for a refund that failed later is held again, as the next round of the share. The rows of
 * earlier rounds stay.
 */
const shares = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // An update from before 23 has inserted shares in this transaction. A table with checks that still wait cannot be altered.
  yield* sql`SET CONSTRAINTS ALL IMMEDIATE`
  yield* sql`SET CONSTRAINTS ALL DEFERRED`
  yield* sql`
    ALTER TABLE referral_share
      ADD COLUMN round integer NOT NULL DEFAULT 1 CHECK (round > 0),
      DROP CONSTRAINT referral_share_pkey,
      ADD PRIMARY KEY (payment_method, charge_id, round)
  `
  yield* sql`
    CREATE UNIQUE INDEX referral_share_once ON referral_share (payment_method, charge_id) WHERE status <> 'taken_back'
  `
  yield* sql`
    CREATE TRIGGER referral_share_keeps_round BEFORE UPDATE ON referral_share
    FOR EACH ROW WHEN (NEW.round <> OLD.round) EXECUTE FUNCTION ledger_refuse()
  `
  // Null when nothing takes the charge back. A reversal that took money ends the share, also when the money comes back.
  yield* sql`
    CREATE FUNCTION payment_taken_back_by(method text, charge text) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT 'reversal' FROM payment_reversal WHERE payment_method = method AND charge_id = charge AND amount > 0
      UNION ALL
      SELECT 'refund' FROM gateway_refund WHERE payment_method = method AND charge_id = charge AND status = 'succeeded'
      LIMIT 1
    $$
  `
  yield* sql`
    CREATE FUNCTION referral_share_returns() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      earlier referral_share;
    BEGIN
      SELECT * INTO earlier FROM referral_share
      WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id AND round = NEW.round - 1;
      IF (earlier.referrer_id, earlier.referred_id, earlier.currency, earlier.status, NEW.status)
          IS DISTINCT FROM (NEW.referrer_id, NEW.referred_id, NEW.currency, 'taken_back', 'held')
        OR NEW.amount <> (CASE WHEN earlier.transaction_id IS NULL THEN earlier.amount ELSE earlier.returned END)
        OR payment_taken_back_by(NEW.payment_method, NEW.charge_id) IS NOT NULL
      THEN
        RAISE EXCEPTION 'a share returns when nothing takes its payment back' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER referral_share_returns AFTER INSERT ON referral_share
    FOR EACH ROW WHEN (NEW.round > 1) EXECUTE FUNCTION referral_share_returns()
  `
})
