import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE payment_intent
      -- The time of the next question to its gateway; null: no more questions.
      ADD COLUMN look_at timestamptz,
      DROP CONSTRAINT payment_intent_purpose_check,
      ADD CONSTRAINT payment_intent_purpose_check CHECK (purpose IN ('deposit', 'order'))
  `
  yield* sql`UPDATE payment_intent SET look_at = expires_at WHERE status = 'pending'`
  yield* sql`
    ALTER TABLE payment_intent
      ADD CONSTRAINT payment_intent_is_looked_after CHECK (status <> 'pending' OR look_at IS NOT NULL)
  `
  yield* sql`DROP INDEX payment_intent_due`
  yield* sql`
    CREATE INDEX payment_intent_to_look_up ON payment_intent (payment_method, look_at) WHERE look_at IS NOT NULL
  `

  yield* sql`
    ALTER TABLE proxy_order
      ADD CONSTRAINT proxy_order_payment FOREIGN KEY (payment_intent_id, user_id, payment_method)
        REFERENCES payment_intent (id, user_id, payment_method),
      ADD CONSTRAINT proxy_order_paid_from CHECK ((payment_method = 'wallet') = (payment_intent_id IS NULL)),
      ADD CONSTRAINT proxy_order_waits_for_payment CHECK (status <> 'waiting_payment' OR payment_method <> 'wallet'),
      ADD CONSTRAINT proxy_order_payment_currency
        CHECK (payment_method = 'wallet' OR (currency = 'STAR') = (payment_method = 'messenger_stars'))
  `
  yield* sql`
    CREATE INDEX proxy_order_of_payment ON proxy_order (payment_intent_id) WHERE payment_intent_id IS NOT NULL
  `
  yield* agreement
})

const agreement = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // By the commit: all orders of a pending payment wait for it, and it asks for their price, rounded up to a cent or a
  // star; no order waits for a finished payment.
  yield* sql`
    CREATE FUNCTION order_payment_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked uuid := (CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END ->> TG_ARGV[0])::uuid;
      agrees boolean;
    BEGIN
      SELECT CASE
        WHEN i.purpose <> 'order' THEN count(o.id) = 0
        WHEN i.status <> 'pending' THEN count(*) FILTER (WHERE o.status = 'waiting_payment') = 0
        ELSE count(*) FILTER (WHERE o.status = 'waiting_payment') = count(*)
          AND i.amount - sum(o.total) BETWEEN 0 AND CASE i.currency WHEN 'USD' THEN 9999 ELSE 0 END
      END INTO agrees
      FROM payment_intent i LEFT JOIN proxy_order o ON o.payment_intent_id = i.id
      WHERE i.id = checked GROUP BY i.id;
      IF NOT agrees THEN
        RAISE EXCEPTION 'a payment and its orders agree' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER payment_intent_agrees AFTER INSERT OR UPDATE OF status ON payment_intent
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.purpose = 'order')
    EXECUTE FUNCTION order_payment_check('id')
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER proxy_order_agrees AFTER INSERT OR UPDATE OF status, total, payment_intent_id ON proxy_order
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.payment_intent_id IS NOT NULL)
    EXECUTE FUNCTION order_payment_check('payment_intent_id')
  `
  yield* sql`
    CREATE CONSTRAINT TRIGGER proxy_order_leaves_none AFTER DELETE ON proxy_order
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.payment_intent_id IS NOT NULL)
    EXECUTE FUNCTION order_payment_check('payment_intent_id')
  `
})
