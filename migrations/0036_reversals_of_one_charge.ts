import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A refund and a dispute may take back one charge. Each reversal keeps its own claim, so that the wallet gets back only
 * money that no other reversal of the charge still claims.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Both triggers check the older rule, which the rows below break.
  yield* sql`DROP TRIGGER payment_reversal_moves ON payment_reversal`
  yield* sql`DROP TRIGGER payment_reversal_holds ON payment_reversal`
  yield* sql`
    ALTER TABLE payment_reversal
      DROP CONSTRAINT payment_reversal_returned,
      DROP CONSTRAINT payment_reversal_check2,
      ADD COLUMN given_back bigint NOT NULL DEFAULT 0 CHECK (given_back >= 0)
  `
  yield* sql`UPDATE payment_reversal SET given_back = debited WHERE return_id IS NOT NULL`
  // Others had taken the whole charge, and its claim was not recorded. Claiming the whole charge prevents a double
  // return.
  yield* sql`
    UPDATE payment_reversal r SET amount = c.amount FROM payment_charge c
    WHERE (c.payment_method, c.charge_id) = (r.payment_method, r.charge_id) AND r.status = 'taken' AND r.amount = 0
  `
  yield* sql`
    ALTER TABLE payment_reversal
      ADD CONSTRAINT payment_reversal_returned FOREIGN KEY (return_id, user_id, currency, given_back, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      ADD CONSTRAINT payment_reversal_given_back CHECK ((return_id IS NOT NULL) = (given_back > 0)),
      ADD CONSTRAINT payment_reversal_given_back_last CHECK (given_back = 0 OR status = 'returned')
  `
  yield* guards
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // For each charge: the sum that its reversals claim, at most the whole payment, and the part that is debited and not
  // returned.
  yield* sql`
    CREATE VIEW payment_taken_back AS
    SELECT c.payment_method, c.charge_id, c.user_id, c.currency,
      least(c.amount, coalesce(sum(r.amount) FILTER (WHERE r.status = 'taken'), 0))::bigint AS claimed,
      sum(r.debited - r.given_back)::bigint AS held
    FROM payment_reversal r JOIN payment_charge c USING (payment_method, charge_id)
    GROUP BY c.payment_method, c.charge_id
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION payment_reversal_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (NEW.payment_method, NEW.reversal_id, NEW.charge_id, NEW.user_id, NEW.currency, NEW.kind, NEW.created_at)
          IS DISTINCT FROM
         (OLD.payment_method, OLD.reversal_id, OLD.charge_id, OLD.user_id, OLD.currency, OLD.kind, OLD.created_at)
        OR (OLD.status <> 'announced'
          AND (NEW.amount, NEW.debited, NEW.debit_id) IS DISTINCT FROM (OLD.amount, OLD.debited, OLD.debit_id))
        OR (OLD.status = 'returned' AND (NEW.given_back, NEW.return_id) IS DISTINCT FROM (OLD.given_back, OLD.return_id))
        OR (OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN
          (('announced', 'taken'), ('announced', 'returned'), ('taken', 'returned')))
      THEN
        RAISE EXCEPTION 'a reversal may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION payment_reversal_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      came_in bigint;
      of_charge payment_taken_back;
    BEGIN
      -- Locked, so that two reversals of one charge see each other.
      SELECT amount INTO came_in FROM payment_charge
      WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id FOR NO KEY UPDATE;
      SELECT * INTO of_charge FROM payment_taken_back
      WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id;
      IF NEW.amount > came_in THEN
        RAISE EXCEPTION 'no more is taken back than came in' USING ERRCODE = 'check_violation';
      END IF;
      IF of_charge.held > of_charge.claimed OR (NEW.given_back > 0 AND of_charge.held < of_charge.claimed) THEN
        RAISE EXCEPTION 'a wallet gets back what no reversal of its charge claims' USING ERRCODE = 'check_violation';
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
    CREATE TRIGGER payment_reversal_moves BEFORE UPDATE ON payment_reversal
    FOR EACH ROW EXECUTE FUNCTION payment_reversal_moves()
  `
  yield* sql`
    CREATE TRIGGER payment_reversal_holds AFTER INSERT OR UPDATE ON payment_reversal
    FOR EACH ROW EXECUTE FUNCTION payment_reversal_check()
  `
})
