import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Automatic top-ups: an account saves a card at its payment gateway, and the service charges the card when the balance falls
 * below a threshold. The service keeps the gateway's ids of the card, and nothing with which anyone else can pay. An account
 * has at most one such payment in flight, and the payments of a month stay within its limit, for every writer of these
 * tables.
 */
export default Effect.gen(function* () {
  yield* cards
  yield* settings
  yield* payments
  yield* due
  yield* ends
  yield* records
})

const cards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE saved_card (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES user_account (id),
      -- The gateway's ids of the customer that it made for this card, and of the card.
      customer_reference text NOT NULL CHECK (length(customer_reference) BETWEEN 1 AND 255),
      card_reference text NOT NULL UNIQUE CHECK (length(card_reference) BETWEEN 1 AND 255),
      brand text NOT NULL CHECK (length(brand) BETWEEN 1 AND 50),
      last_digits text NOT NULL CHECK (last_digits ~ '^[0-9]{4}$'),
      expiry_month integer NOT NULL CHECK (expiry_month BETWEEN 1 AND 12),
      expiry_year integer NOT NULL CHECK (expiry_year BETWEEN 2000 AND 9999),
      created_at timestamptz NOT NULL,
      -- A removed card stays until its gateway has removed it too.
      removed_at timestamptz,
      remove_at timestamptz,
      is_kept boolean GENERATED ALWAYS AS (removed_at IS NULL) STORED,
      UNIQUE (id, user_id, is_kept),
      CHECK ((removed_at IS NULL) = (remove_at IS NULL))
    )
  `
  yield* sql`CREATE INDEX saved_card_of_user ON saved_card (user_id)`
  yield* sql`CREATE INDEX saved_card_to_remove ON saved_card (remove_at) WHERE remove_at IS NOT NULL`
  yield* sql`
    CREATE FUNCTION saved_card_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'a card keeps its account and its gateway''s ids, and is removed once'
        USING ERRCODE = 'restrict_violation';
    END $$
  `
  yield* sql`
    CREATE TRIGGER saved_card_keeps BEFORE UPDATE ON saved_card
    FOR EACH ROW WHEN (
      (NEW.id, NEW.user_id, NEW.customer_reference, NEW.card_reference)
        IS DISTINCT FROM (OLD.id, OLD.user_id, OLD.customer_reference, OLD.card_reference)
      OR (OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at)
    ) EXECUTE FUNCTION saved_card_refuse()
  `
})

const settings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE auto_top_up (
      user_id uuid PRIMARY KEY REFERENCES user_account (id),
      is_on boolean NOT NULL,
      -- Micro-dollars. One payment lifts every balance to the threshold.
      threshold bigint NOT NULL CHECK (threshold BETWEEN 1000000 AND 1000000000),
      amount bigint NOT NULL CHECK (amount BETWEEN 5000000 AND 1000000000 AND amount % 10000 = 0),
      monthly_limit bigint NOT NULL CHECK (monthly_limit BETWEEN 5000000 AND 10000000000),
      card_id uuid,
      card_is_kept boolean GENERATED ALWAYS AS (CASE WHEN card_id IS NOT NULL THEN true END) STORED,
      -- The reason for which the service switched it off; null when the owner did, or while it is on.
      stopped_by text CHECK (stopped_by IN ('authentication_required', 'card_expired', 'card_refused', 'declined', 'reversed')),
      -- Payments in a row that the card's bank declined.
      declines integer NOT NULL DEFAULT 0 CHECK (declines >= 0),
      not_before timestamptz,
      -- The time at which a job looks at the balance; null while nothing is due.
      due_at timestamptz,
      -- The first day of the month in which the account was told about its limit.
      limit_told date,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT auto_top_up_of_kept_card FOREIGN KEY (card_id, user_id, card_is_kept)
        REFERENCES saved_card (id, user_id, is_kept),
      CHECK (amount >= threshold),
      CHECK (monthly_limit >= amount),
      CHECK (NOT is_on OR card_id IS NOT NULL),
      CHECK (NOT is_on OR stopped_by IS NULL),
      CHECK (is_on OR due_at IS NULL)
    )
  `
  yield* sql`CREATE INDEX auto_top_up_due ON auto_top_up (due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX auto_top_up_of_card ON auto_top_up (card_id) WHERE card_id IS NOT NULL`
})

const payments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A payment outlives its card, hence no foreign key.
  yield* sql`
    ALTER TABLE payment_intent
      ADD COLUMN card_id uuid,
      ADD CONSTRAINT payment_intent_of_card CHECK (card_id IS NULL OR (purpose = 'deposit' AND currency = 'USD'
        AND payment_method = 'card_gateway' AND payment_url IS NULL))
  `
  yield* sql`
    CREATE UNIQUE INDEX payment_intent_one_automatic ON payment_intent (user_id)
    WHERE card_id IS NOT NULL AND status = 'pending'
  `
  yield* sql`CREATE INDEX payment_intent_of_month ON payment_intent (user_id, created_at) WHERE card_id IS NOT NULL`
  yield* sql`CREATE INDEX payment_intent_by_card ON payment_intent (look_at) WHERE card_id IS NOT NULL AND look_at IS NOT NULL`
  yield* sql`
    CREATE TRIGGER payment_intent_keeps_card BEFORE UPDATE ON payment_intent
    FOR EACH ROW WHEN (NEW.card_id IS DISTINCT FROM OLD.card_id) EXECUTE FUNCTION payment_intent_refuse()
  `
  // Counts payments that are in flight or paid, and those that brought money after they had ended.
  yield* sql`
    CREATE FUNCTION auto_top_up_used(account uuid, at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT coalesce(sum(i.amount), 0)::bigint FROM payment_intent i
      WHERE i.user_id = account AND i.card_id IS NOT NULL
        AND i.created_at >= date_trunc('month', at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
        AND i.created_at < (date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
        AND (i.status IN ('pending', 'paid') OR EXISTS (SELECT FROM payment_charge c WHERE c.payment_intent_id = i.id))
    $$
  `
  yield* sql`
    CREATE FUNCTION payment_intent_check_automatic() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      agreed auto_top_up;
    BEGIN
      -- The lock orders the payments of one account, so that each sees the earlier ones.
      SELECT * INTO agreed FROM auto_top_up WHERE user_id = NEW.user_id FOR NO KEY UPDATE;
      IF NOT coalesce(agreed.is_on, false)
        OR (agreed.card_id, agreed.amount) IS DISTINCT FROM (NEW.card_id, NEW.amount)
        OR auto_top_up_used(NEW.user_id, NEW.created_at) + NEW.amount > agreed.monthly_limit
      THEN
        RAISE EXCEPTION 'the account has not agreed to this payment' USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER payment_intent_agreed BEFORE INSERT ON payment_intent
    FOR EACH ROW WHEN (NEW.card_id IS NOT NULL) EXECUTE FUNCTION payment_intent_check_automatic()
  `
})

/**
 * The wallet knows the threshold, so that a booking of any other account costs nothing. The booking itself records that a
 * top-up is due, so no code path can miss it. Sandbox money pays for nothing while the sandbox is off, so it does not count.
 */
const due = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wallet ADD COLUMN top_up_below bigint`
  yield* sql`
    CREATE FUNCTION auto_top_up_watch() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      below bigint := CASE WHEN NEW.is_on THEN NEW.threshold END;
    BEGIN
      UPDATE wallet SET top_up_below = below
      WHERE user_id = NEW.user_id AND currency = 'USD' AND top_up_below IS DISTINCT FROM below;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER auto_top_up_watch AFTER INSERT OR UPDATE OF is_on, threshold ON auto_top_up
    FOR EACH ROW EXECUTE FUNCTION auto_top_up_watch()
  `
  yield* sql`
    CREATE FUNCTION auto_top_up_fall_due() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE auto_top_up SET due_at = greatest(not_before, NEW.updated_at)
      WHERE user_id = NEW.user_id AND is_on AND due_at IS NULL;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER auto_top_up_fall_due AFTER UPDATE OF balance, sandbox_balance, purchases_stopped ON wallet
    FOR EACH ROW WHEN (NEW.balance - NEW.sandbox_balance < NEW.top_up_below)
    EXECUTE FUNCTION auto_top_up_fall_due()
  `
})

/** Removing a card switches its top-ups off. Cards and settings end with the account, and with a takeover of it. */
const ends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION saved_card_removed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE auto_top_up SET is_on = false, card_id = NULL, due_at = NULL, updated_at = NEW.removed_at
      WHERE card_id = NEW.id;
      RETURN NEW;
    END $$
  `
  yield* sql`
    CREATE TRIGGER saved_card_removed BEFORE UPDATE OF removed_at ON saved_card
    FOR EACH ROW WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION saved_card_removed()
  `
  yield* sql`
    CREATE FUNCTION saved_cards_end() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      ended timestamptz := coalesce(NEW.deleted_at, NEW.updated_at);
    BEGIN
      IF NOT EXISTS (SELECT FROM auto_top_up WHERE user_id = NEW.id)
        AND NOT EXISTS (SELECT FROM saved_card WHERE user_id = NEW.id AND removed_at IS NULL)
      THEN
        RETURN NULL;
      END IF;
      -- Every writer locks the wallets before the cards and the settings.
      PERFORM FROM wallet WHERE user_id = NEW.id ORDER BY currency FOR NO KEY UPDATE;
      UPDATE saved_card SET removed_at = ended, remove_at = ended WHERE user_id = NEW.id AND removed_at IS NULL;
      UPDATE wallet SET top_up_below = NULL WHERE user_id = NEW.id AND top_up_below IS NOT NULL;
      DELETE FROM auto_top_up WHERE user_id = NEW.id;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER saved_cards_end AFTER UPDATE OF email_verified, deleted_at ON user_account
    FOR EACH ROW WHEN (
      OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
      OR NEW.email_verified AND NOT OLD.email_verified AND NEW.password_hash IS DISTINCT FROM OLD.password_hash
    )
    EXECUTE FUNCTION saved_cards_end()
  `
})

const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE notification
      DROP CONSTRAINT notification_kind_check,
      ADD CONSTRAINT notification_kind_check CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed',
        'renewal_price', 'deposit_credited', 'auto_top_up_made', 'auto_top_up_failed', 'auto_top_up_stopped',
        'auto_top_up_limit', 'provisioning_failed', 'change_failed', 'proxy_reduced', 'proxy_ended', 'webhook_failing',
        'webhook_disabled', 'payment_reversed', 'payment_returned'))
  `
  yield* sql`
    ALTER TABLE payment_callback
      DROP CONSTRAINT payment_callback_outcome_check,
      ADD CONSTRAINT payment_callback_outcome_check CHECK (outcome IN ('received', 'refused', 'unchecked', 'ignored',
        'unmatched', 'duplicate', 'declined', 'reversed', 'saved', 'paid', 'credited'))
  `
})
