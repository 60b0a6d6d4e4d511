import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Refunds of delivered orders by staff: whole, in part, or for the time that is left. The money returns to the wallet; from
 * there it may leave for the payment gateway that it came from.
 */
export default Effect.gen(function* () {
  yield* refunds
  yield* parts
  yield* toGateways
  yield* guards
  yield* claims
  yield* records
})

const refunds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The id is the idempotency key of the request.
  yield* sql`
    CREATE TABLE order_refund (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES proxy_order (id),
      user_id uuid NOT NULL REFERENCES user_account (id),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      amount bigint NOT NULL CHECK (amount > 0),
      kind text NOT NULL CHECK (kind IN ('whole', 'amount', 'prorata')),
      destination text NOT NULL CHECK (destination IN ('wallet', 'gateway')),
      ends_service boolean NOT NULL,
      reason_code text NOT NULL CHECK (reason_code ~ '^[a-z_]{1,40}$'),
      -- For staff; the customer reads the other text.
      reason text NOT NULL CHECK (char_length(reason) BETWEEN 3 AND 1000),
      customer_text text CHECK (char_length(customer_text) BETWEEN 3 AND 200),
      -- The payments and the shares from which the amount was computed.
      computed jsonb NOT NULL,
      status text NOT NULL CHECK (status IN ('requested', 'booked', 'declined', 'expired')),
      is_over_limit boolean NOT NULL,
      created_by text NOT NULL CHECK (length(created_by) BETWEEN 1 AND 100),
      created_by_name text NOT NULL CHECK (length(created_by_name) BETWEEN 1 AND 200),
      created_by_role text NOT NULL CHECK (created_by_role IN ('owner', 'finance', 'support')),
      decided_by text CHECK (length(decided_by) BETWEEN 1 AND 100),
      decided_by_name text CHECK (length(decided_by_name) BETWEEN 1 AND 200),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      decided_at timestamptz,
      -- The time of the next try to end the proxy at its provider; null: nothing to end.
      release_at timestamptz,
      CONSTRAINT order_refund_whole_ends CHECK (kind <> 'whole' OR ends_service),
      CONSTRAINT order_refund_four_eyes CHECK (decided_by <> created_by),
      CONSTRAINT order_refund_decided CHECK (
        (decided_by IS NULL) = (decided_by_name IS NULL) AND (status = 'requested') = (decided_at IS NULL)
        AND CASE status WHEN 'booked' THEN decided_by IS NOT NULL OR NOT is_over_limit
          WHEN 'declined' THEN decided_by IS NOT NULL ELSE decided_by IS NULL END
      ),
      CONSTRAINT order_refund_releases CHECK (release_at IS NULL OR (status = 'booked' AND ends_service)),
      UNIQUE (id, user_id, currency)
    )
  `
  yield* sql`CREATE INDEX order_refund_of_order ON order_refund (order_id, created_at)`
  yield* sql`CREATE INDEX order_refund_of_user ON order_refund (user_id, created_at)`
  yield* sql`CREATE INDEX order_refund_of_staff ON order_refund (created_by, created_at)`
  yield* sql`CREATE INDEX order_refund_waiting ON order_refund (expires_at) WHERE status = 'requested'`
  yield* sql`CREATE INDEX order_refund_to_release ON order_refund (release_at) WHERE release_at IS NOT NULL`
})

const parts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The entry by which a refund returns one payment, or a part of it.
  yield* sql`
    CREATE TABLE order_refund_part (
      refund_id uuid NOT NULL,
      payment_id uuid NOT NULL REFERENCES wallet_transaction (id),
      user_id uuid NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      transaction_id uuid NOT NULL UNIQUE,
      PRIMARY KEY (refund_id, payment_id),
      CONSTRAINT order_refund_part_of_refund FOREIGN KEY (refund_id, user_id, currency)
        REFERENCES order_refund (id, user_id, currency),
      CONSTRAINT order_refund_part_booked FOREIGN KEY (transaction_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`
    CREATE TRIGGER order_refund_part_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON order_refund_part
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
  yield* sql`
    CREATE TRIGGER order_refund_decided_once BEFORE UPDATE ON order_refund
    FOR EACH ROW WHEN (
      CASE OLD.status
        WHEN 'requested' THEN to_jsonb(NEW) - '{status,decided_by,decided_by_name,decided_at,release_at}'::text[]
          <> to_jsonb(OLD) - '{status,decided_by,decided_by_name,decided_at,release_at}'::text[]
        ELSE to_jsonb(NEW) - 'release_at' <> to_jsonb(OLD) - 'release_at' OR OLD.release_at IS NULL
      END
    ) EXECUTE FUNCTION money_record_refuse()
  `
  yield* sql`
    CREATE TRIGGER order_refund_keep BEFORE DELETE OR TRUNCATE ON order_refund
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
})

const toGateways = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Money on its way back to one charge. It has left the wallet before the gateway is asked; a failure returns it. The id is
  // the idempotency key at the gateway. Pending and unknown ones count, and are looked up at `look_at`.
  yield* sql`
    CREATE TABLE gateway_refund (
      id uuid PRIMARY KEY,
      order_refund_id uuid NOT NULL,
      payment_method text NOT NULL,
      charge_id text NOT NULL,
      user_id uuid NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      withdrawn bigint GENERATED ALWAYS AS (-amount) STORED,
      entry_status text GENERATED ALWAYS AS ('completed') STORED,
      withdrawal_id uuid NOT NULL UNIQUE,
      return_id uuid UNIQUE,
      gateway_refund_id text CHECK (length(gateway_refund_id) BETWEEN 1 AND 255),
      status text NOT NULL CHECK (status IN ('booked', 'sent', 'unknown', 'pending', 'succeeded', 'failed')),
      failure text CHECK (length(failure) BETWEEN 1 AND 1000),
      look_at timestamptz,
      sent_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (payment_method, gateway_refund_id),
      CONSTRAINT gateway_refund_of_order_refund FOREIGN KEY (order_refund_id, user_id, currency)
        REFERENCES order_refund (id, user_id, currency),
      CONSTRAINT gateway_refund_of_charge FOREIGN KEY (payment_method, charge_id, user_id, currency)
        REFERENCES payment_charge (payment_method, charge_id, user_id, currency),
      CONSTRAINT gateway_refund_withdrawn FOREIGN KEY (withdrawal_id, user_id, currency, withdrawn, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT gateway_refund_returned FOREIGN KEY (return_id, user_id, currency, amount, entry_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CONSTRAINT gateway_refund_failed CHECK ((status = 'failed') = (return_id IS NOT NULL)),
      CONSTRAINT gateway_refund_sent CHECK ((status = 'booked') = (sent_at IS NULL)),
      CONSTRAINT gateway_refund_is_looked_after CHECK ((status IN ('succeeded', 'failed')) = (look_at IS NULL))
    )
  `
  yield* sql`CREATE INDEX gateway_refund_of_a_charge ON gateway_refund (payment_method, charge_id)`
  yield* sql`CREATE INDEX gateway_refund_of_refund ON gateway_refund (order_refund_id)`
  yield* sql`CREATE INDEX gateway_refund_to_look_up ON gateway_refund (look_at) WHERE look_at IS NOT NULL`
  yield* sql`
    CREATE TRIGGER gateway_refund_keep BEFORE DELETE OR TRUNCATE ON gateway_refund
    FOR EACH STATEMENT EXECUTE FUNCTION money_record_refuse()
  `
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION gateway_refund_moves() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changes text[] := '{status,gateway_refund_id,failure,return_id,look_at,sent_at,updated_at,withdrawn,entry_status}';
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
  // By the commit: the parts of a booked refund add up to it, each returns a payment of its order, and a whole refund ends it.
  yield* sql`
    CREATE FUNCTION order_refund_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked order_refund;
    BEGIN
      SELECT * INTO checked FROM order_refund
      WHERE id = (to_jsonb(NEW) ->> CASE TG_TABLE_NAME WHEN 'order_refund' THEN 'id' ELSE 'refund_id' END)::uuid;
      IF (SELECT coalesce(sum(amount), 0) FROM order_refund_part WHERE refund_id = checked.id)
          <> (CASE checked.status WHEN 'booked' THEN checked.amount ELSE 0 END)
        OR EXISTS (
          SELECT FROM order_refund_part p LEFT JOIN wallet_transaction t ON t.id = p.transaction_id
          WHERE p.refund_id = checked.id
            AND (t.refunded_transaction_id, t.order_id) IS DISTINCT FROM (p.payment_id, checked.order_id)
        )
        OR (checked.status = 'booked' AND NOT EXISTS (
          SELECT FROM proxy_order WHERE id = checked.order_id AND user_id = checked.user_id
            AND (checked.kind <> 'whole' OR status = 'refunded')
        ))
      THEN
        RAISE EXCEPTION 'a refund of an order has its entries' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  for (const table of ["order_refund", "order_refund_part"])
    yield* sql`
      CREATE CONSTRAINT TRIGGER order_refund_has_its_entries AFTER INSERT OR UPDATE ON ${sql(table)}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION order_refund_check()
    `
})

/** Refunds and disputes that a gateway reports, and refunds of this service, together claim at most a charge. */
const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE VIEW payment_claim AS
    SELECT payment_method, charge_id, reversal_id, CASE status WHEN 'taken' THEN amount ELSE 0 END AS claimed,
      debited - given_back AS held
    FROM payment_reversal
    UNION ALL
    SELECT payment_method, charge_id, NULL, amount, amount FROM gateway_refund WHERE status <> 'failed'
  `
  yield* sql`
    CREATE OR REPLACE VIEW payment_taken_back AS
    SELECT c.payment_method, c.charge_id, c.user_id, c.currency, least(c.amount, sum(k.claimed))::bigint AS claimed,
      sum(k.held)::bigint AS held
    FROM payment_claim k JOIN payment_charge c USING (payment_method, charge_id)
    GROUP BY c.payment_method, c.charge_id, c.user_id, c.currency, c.amount
  `
  yield* sql`
    CREATE FUNCTION gateway_refund_check() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      came_in bigint;
    BEGIN
      -- Locked, so that all that takes this charge back sees each other.
      SELECT amount INTO came_in FROM payment_charge
      WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id FOR NO KEY UPDATE;
      IF came_in < (
        SELECT sum(claimed) FROM payment_claim WHERE payment_method = NEW.payment_method AND charge_id = NEW.charge_id
      ) THEN
        RAISE EXCEPTION 'no more goes back than came in' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER gateway_refund_within_charge AFTER INSERT ON gateway_refund
    FOR EACH ROW EXECUTE FUNCTION gateway_refund_check()
  `
})

/** Every entry of staff, and every entry of a refund to a gateway, has its record. */
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
        WHEN NEW.transaction_type = 'refund' THEN EXISTS (SELECT FROM order_refund_part WHERE transaction_id = NEW.id)
        ELSE EXISTS (SELECT FROM payment_reversal WHERE debit_id = NEW.id OR return_id = NEW.id)
          OR EXISTS (SELECT FROM referral_share WHERE transaction_id = NEW.id OR return_id = NEW.id)
      END) THEN
        RAISE EXCEPTION 'this entry has no record' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`DROP TRIGGER wallet_transaction_recorded ON wallet_transaction`
  yield* sql`
    CREATE CONSTRAINT TRIGGER wallet_transaction_recorded AFTER INSERT ON wallet_transaction
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (
      NEW.transaction_type = 'withdrawal' OR NEW.cause IS NOT NULL OR NEW.reference LIKE 'referral:%'
      OR NEW.reference LIKE 'reversal:%' OR NEW.reference LIKE 'refund:%'
    ) EXECUTE FUNCTION wallet_transaction_check_record()
  `
})
