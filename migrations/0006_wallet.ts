import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Money. The ledger proves itself: the completed entries of a wallet are numbered 1, 2, 3, ...; each starts from the
 * balance where the previous one ended; the wallet points at the last entry. So the balance of a wallet is the sum of
 * its completed entries, for every writer of these tables.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE wallet (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      balance bigint NOT NULL CHECK (balance >= 0),
      seq bigint CHECK (seq > 0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (user_id, currency),
      UNIQUE (id, user_id, currency),
      CONSTRAINT wallet_without_entries_is_empty CHECK (seq IS NOT NULL OR balance = 0)
    )
  `
  yield* sql`
    CREATE TABLE wallet_transaction (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL,
      wallet_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount <> 0),
      currency text NOT NULL,
      transaction_type text NOT NULL CHECK (transaction_type IN ('deposit', 'withdrawal', 'payment', 'refund')),
      status text NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
      payment_method text,
      external_id text,
      description text NOT NULL,
      order_id uuid,
      reference text NOT NULL,
      refunded_transaction_id uuid REFERENCES wallet_transaction (id),
      api_key_id uuid,
      amount_usd bigint,
      seq bigint CHECK (seq > 0),
      previous_seq bigint GENERATED ALWAYS AS (CASE WHEN seq > 1 THEN seq - 1 END) STORED,
      balance_before bigint,
      balance_after bigint CHECK (balance_after >= 0),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT wallet_transaction_once UNIQUE (transaction_type, reference),
      CONSTRAINT wallet_transaction_refunds_once UNIQUE (refunded_transaction_id),
      CONSTRAINT wallet_transaction_seq UNIQUE (wallet_id, seq),
      CONSTRAINT wallet_transaction_link UNIQUE (wallet_id, seq, balance_after),
      CONSTRAINT wallet_transaction_paid_from_outside UNIQUE (id, user_id, currency, amount, status),
      CONSTRAINT wallet_transaction_of_wallet
        FOREIGN KEY (wallet_id, user_id, currency) REFERENCES wallet (id, user_id, currency),
      CONSTRAINT wallet_transaction_follows
        FOREIGN KEY (wallet_id, previous_seq, balance_before)
        REFERENCES wallet_transaction (wallet_id, seq, balance_after),
      CONSTRAINT wallet_transaction_starts_at_zero CHECK (seq <> 1 OR balance_before = 0),
      CONSTRAINT wallet_transaction_adds_up CHECK (balance_after = balance_before + amount),
      CONSTRAINT wallet_transaction_counts_when_completed
        CHECK (num_nonnulls(seq, balance_before, balance_after) = CASE status WHEN 'completed' THEN 3 ELSE 0 END),
      CONSTRAINT wallet_transaction_sign CHECK ((amount > 0) = (transaction_type IN ('deposit', 'refund'))),
      CONSTRAINT wallet_transaction_refund_of_payment
        CHECK ((refunded_transaction_id IS NOT NULL) = (transaction_type = 'refund')),
      CONSTRAINT wallet_transaction_spent_by_key
        CHECK (api_key_id IS NULL OR (transaction_type = 'payment' AND amount_usd IS NOT NULL)),
      CONSTRAINT wallet_transaction_usd
        CHECK (amount_usd IS NULL
          OR (amount_usd > 0 AND transaction_type = 'payment' AND (currency = 'STAR' OR amount_usd = -amount)))
    )
  `
  yield* sql`
    ALTER TABLE wallet ADD CONSTRAINT wallet_balance_is_of_last_entry
    FOREIGN KEY (id, seq, balance) REFERENCES wallet_transaction (wallet_id, seq, balance_after)
  `
  yield* sql`CREATE INDEX wallet_transaction_list ON wallet_transaction (wallet_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX wallet_transaction_order ON wallet_transaction (order_id) WHERE order_id IS NOT NULL`
  yield* sql`
    CREATE INDEX wallet_transaction_spent ON wallet_transaction (api_key_id, created_at) WHERE api_key_id IS NOT NULL
  `
  yield* guards
  yield* intents
  yield* charges
  yield* calls
})

const guards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_keep BEFORE DELETE OR TRUNCATE ON wallet_transaction
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
  yield* sql`
    CREATE TRIGGER wallet_keep BEFORE DELETE OR TRUNCATE ON wallet
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
  // A pending entry may be settled once; its subject never changes.
  yield* sql`
    CREATE TRIGGER wallet_transaction_settle_only BEFORE UPDATE ON wallet_transaction
    FOR EACH ROW WHEN (
      NOT (OLD.status = 'pending' AND NEW.status IN ('completed', 'failed'))
      OR (NEW.id, NEW.user_id, NEW.wallet_id, NEW.amount, NEW.currency, NEW.transaction_type, NEW.payment_method,
          NEW.description, NEW.order_id, NEW.reference, NEW.refunded_transaction_id, NEW.api_key_id, NEW.amount_usd,
          NEW.created_at)
        IS DISTINCT FROM
         (OLD.id, OLD.user_id, OLD.wallet_id, OLD.amount, OLD.currency, OLD.transaction_type, OLD.payment_method,
          OLD.description, OLD.order_id, OLD.reference, OLD.refunded_transaction_id, OLD.api_key_id, OLD.amount_usd,
          OLD.created_at)
    ) EXECUTE FUNCTION ledger_refuse()
  `
  // Together with the foreign key to the last entry: the wallet is never ahead of its ledger nor behind it.
  yield* sql`
    CREATE TRIGGER wallet_forward_only BEFORE UPDATE ON wallet
    FOR EACH ROW WHEN (
      (NEW.id, NEW.user_id, NEW.currency, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.currency, OLD.created_at)
      OR coalesce(NEW.seq, 0) < coalesce(OLD.seq, 0)
    ) EXECUTE FUNCTION ledger_refuse()
  `
  yield* sql`
    CREATE FUNCTION wallet_transaction_check() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.seq > (SELECT coalesce(seq, 0) FROM wallet WHERE id = NEW.wallet_id) THEN
        RAISE EXCEPTION 'the wallet does not count this entry' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_counted AFTER INSERT OR UPDATE ON wallet_transaction
    FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION wallet_transaction_check()
  `
  yield* sql`
    CREATE FUNCTION wallet_transaction_check_refund() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM wallet_transaction
        WHERE id = NEW.refunded_transaction_id AND wallet_id = NEW.wallet_id AND transaction_type = 'payment'
          AND status = 'completed' AND amount = -NEW.amount AND order_id IS NOT DISTINCT FROM NEW.order_id
      ) THEN
        RAISE EXCEPTION 'a refund returns one payment, whole' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_refunds AFTER INSERT ON wallet_transaction
    FOR EACH ROW WHEN (NEW.transaction_type = 'refund') EXECUTE FUNCTION wallet_transaction_check_refund()
  `
})

const intents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An intent and the entry it completes agree: on account and amount immediately, on the outcome by the commit.
  yield* sql`
    CREATE TABLE payment_intent (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('deposit')),
      payment_method text NOT NULL CHECK (payment_method IN ('crypto_gateway', 'card_gateway', 'messenger_stars')),
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
      transaction_id uuid NOT NULL UNIQUE,
      transaction_status text GENERATED ALWAYS AS (
        CASE status WHEN 'pending' THEN 'pending' WHEN 'paid' THEN 'completed' ELSE 'failed' END
      ) STORED,
      external_reference text,
      payment_url text,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (payment_method, external_reference),
      UNIQUE (id, user_id, payment_method),
      CONSTRAINT payment_intent_of_entry
        FOREIGN KEY (transaction_id, user_id, currency, amount, transaction_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED,
      CHECK ((currency = 'STAR') = (payment_method = 'messenger_stars'))
    )
  `
  yield* sql`CREATE INDEX payment_intent_of_user ON payment_intent (user_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX payment_intent_due ON payment_intent (expires_at) WHERE status = 'pending'`
  yield* sql`
    CREATE FUNCTION payment_intent_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a settled payment intent does not change' USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_intent_settles_once BEFORE UPDATE ON payment_intent
    FOR EACH ROW WHEN (
      (NEW.id, NEW.user_id, NEW.purpose, NEW.payment_method, NEW.currency, NEW.amount, NEW.transaction_id)
        IS DISTINCT FROM
      (OLD.id, OLD.user_id, OLD.purpose, OLD.payment_method, OLD.currency, OLD.amount, OLD.transaction_id)
      OR (OLD.status <> 'pending' AND NEW.status <> OLD.status)
    ) EXECUTE FUNCTION payment_intent_refuse()
  `
  yield* sql`
    CREATE FUNCTION payment_intent_check_paid() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (
        SELECT FROM payment_charge WHERE payment_intent_id = NEW.id AND transaction_id = NEW.transaction_id
      ) THEN
        RAISE EXCEPTION 'a payment is paid by a charge' USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_intent_paid AFTER INSERT OR UPDATE ON payment_intent
    FOR EACH ROW WHEN (NEW.status = 'paid') EXECUTE FUNCTION payment_intent_check_paid()
  `
})

const charges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A gateway's charge id counts once. The entry that it credits, in full and to the payer, is written after it in the
  // same transaction.
  yield* sql`
    CREATE TABLE payment_charge (
      payment_method text NOT NULL,
      charge_id text NOT NULL,
      payment_intent_id uuid NOT NULL,
      user_id uuid NOT NULL,
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      amount bigint NOT NULL CHECK (amount > 0),
      transaction_id uuid NOT NULL UNIQUE,
      transaction_status text GENERATED ALWAYS AS ('completed') STORED,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (payment_method, charge_id),
      CONSTRAINT payment_charge_of_intent
        FOREIGN KEY (payment_intent_id, user_id, payment_method)
        REFERENCES payment_intent (id, user_id, payment_method),
      CONSTRAINT payment_charge_credited
        FOREIGN KEY (transaction_id, user_id, currency, amount, transaction_status)
        REFERENCES wallet_transaction (id, user_id, currency, amount, status) DEFERRABLE INITIALLY DEFERRED
    )
  `
  yield* sql`CREATE INDEX payment_charge_intent ON payment_charge (payment_intent_id)`
  yield* sql`
    CREATE TRIGGER payment_charge_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_charge
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()
  `
})

const calls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE payment_callback (
      id uuid PRIMARY KEY,
      payment_method text NOT NULL,
      headers jsonb NOT NULL,
      body bytea NOT NULL CHECK (octet_length(body) <= 65536),
      outcome text NOT NULL
        CHECK (outcome IN ('received', 'refused', 'ignored', 'unmatched', 'duplicate', 'declined', 'paid', 'credited')),
      received_at timestamptz NOT NULL,
      processed_at timestamptz,
      CHECK ((outcome = 'received') = (processed_at IS NULL))
    )
  `
  yield* sql`CREATE INDEX payment_callback_refused ON payment_callback (received_at) WHERE outcome = 'refused'`

  yield* sql`
    CREATE TABLE sandbox_payment (
      payment_intent_id uuid PRIMARY KEY REFERENCES payment_intent (id),
      secret text NOT NULL,
      outcome text CHECK (outcome IN ('paid', 'declined')),
      reported_at timestamptz CHECK (reported_at IS NULL OR outcome IS NOT NULL)
    )
  `
  yield* sql`
    CREATE INDEX sandbox_payment_unreported ON sandbox_payment (payment_intent_id)
    WHERE outcome IS NOT NULL AND reported_at IS NULL
  `
})
