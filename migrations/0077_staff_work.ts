import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What staff do for an order: time and another address that nobody pays for, and proxies that they end. A change by staff is a
 * proxy change without a payment. Callbacks say which payment they are about.
 */
export default Effect.gen(function* () {
  yield* changes
  yield* booked
  yield* terms
  yield* costs
  yield* releases
  yield* notices
  yield* payments
})

const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE proxy_change
      DROP CONSTRAINT proxy_change_kind_check,
      DROP CONSTRAINT proxy_change_origin_check,
      DROP CONSTRAINT proxy_change_total_check,
      DROP CONSTRAINT proxy_change_total_usd_check,
      DROP CONSTRAINT proxy_change_actor,
      -- Who gave it, why, and what a customer would have paid a vendor's proxy for it: it counts in the limits of the person.
      ADD COLUMN given_by text CHECK (length(given_by) BETWEEN 1 AND 200),
      ADD COLUMN given_by_id text CHECK (length(given_by_id) BETWEEN 1 AND 200),
      ADD COLUMN given_value_usd bigint CHECK (given_value_usd >= 0),
      ADD COLUMN given_reason text CHECK (length(given_reason) BETWEEN 3 AND 1000),
      ADD CONSTRAINT proxy_change_kind CHECK (kind IN ('append', 'restart', 'traffic', 'replace')),
      ADD CONSTRAINT proxy_change_origin CHECK (origin IN ('request', 'auto_renew', 'staff')),
      ADD CONSTRAINT proxy_change_priced CHECK (
        CASE origin WHEN 'staff' THEN total = 0 AND total_usd = 0 ELSE total > 0 AND total_usd > 0 END
      ),
      ADD CONSTRAINT proxy_change_given CHECK (
        CASE origin
          WHEN 'staff' THEN num_nulls(given_by, given_by_id, given_reason, given_value_usd) = 0
            AND kind IN ('append', 'replace')
            AND expires_at <= previous_expires_at + interval '32 days'
          ELSE num_nonnulls(given_by, given_by_id, given_reason, given_value_usd) = 0 AND kind <> 'replace'
        END
      ),
      ADD CONSTRAINT proxy_change_replaces CHECK (
        kind <> 'replace' OR (expires_at = previous_expires_at AND bandwidth_gb IS NOT DISTINCT FROM previous_bandwidth_gb
          AND period_days = 0 AND period_months = 0)
      ),
      ADD CONSTRAINT proxy_change_actor CHECK (
        CASE actor
          WHEN 'session' THEN actor_id IS NULL AND origin = 'request'
          WHEN 'api_key' THEN actor_id IS NOT NULL AND origin = 'request'
          WHEN 'oauth' THEN actor_id IS NOT NULL AND origin = 'request'
          WHEN 'service' THEN actor_id IS NULL AND origin IN ('auto_renew', 'staff')
          ELSE actor IS NULL AND actor_id IS NULL
        END
      )
  `
  yield* sql`CREATE INDEX proxy_change_given ON proxy_change (given_by_id, created_at) WHERE origin = 'staff'`
})

/** At the commit every bought change has its payment, and every refused one, and no other, its refund. A given one has none. */
const booked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE OR REPLACE FUNCTION proxy_change_check_booked() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      checked uuid;
    BEGIN
      IF TG_TABLE_NAME = 'proxy_change' THEN
        checked := NEW.id;
      ELSE
        SELECT substr(reference, length('change:') + 1)::uuid INTO checked FROM wallet_transaction
        WHERE id = NEW.refunded_transaction_id AND reference LIKE 'change:%';
      END IF;
      IF EXISTS (
        SELECT FROM proxy_change c LEFT JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = 'change:' || c.id AND p.status = 'completed'
          AND (p.order_id, p.currency, p.amount, p.amount_usd) = (c.order_id, c.currency, -c.total, c.total_usd)
        WHERE c.id = checked AND c.origin <> 'staff' AND (
          p.id IS NULL OR (c.status = 'refused') <> EXISTS (
            SELECT FROM wallet_transaction WHERE refunded_transaction_id = p.id AND cause IS NULL
          )
        )
      ) THEN
        RAISE EXCEPTION 'a change of a proxy is paid for, or refused and refunded'
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NULL;
    END $$
  `
})

/**
 * An extension lasts from the old end to the new one. A restart cuts off the time before it. Traffic lasts to the end. Time
 * that is given is a term without money, whose id is that of its change.
 */
const terms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE revenue_term
      DROP CONSTRAINT revenue_term_kind_check,
      DROP CONSTRAINT revenue_term_amount_usd_check,
      ADD CONSTRAINT revenue_term_kind CHECK (kind IN ('order', 'append', 'restart', 'traffic', 'gift')),
      ADD CONSTRAINT revenue_term_amount CHECK (CASE kind WHEN 'gift' THEN amount_usd = 0 ELSE amount_usd > 0 END)
  `
  yield* sql`
    CREATE OR REPLACE FUNCTION revenue_term_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      starts timestamptz := CASE NEW.kind WHEN 'append' THEN NEW.previous_expires_at
        WHEN 'restart' THEN coalesce(NEW.attempted_at, NEW.updated_at) ELSE NEW.updated_at END;
    BEGIN
      IF NEW.origin = 'staff' THEN
        INSERT INTO revenue_term (transaction_id, order_id, user_id, kind, is_auto_renewal, sold_at, delivered_at, amount_usd,
          cost_usd, provider, proxy_type, country, offer_id, starts_at, ends_at)
        SELECT NEW.id, o.id, o.user_id, 'gift', false, NEW.updated_at, NEW.updated_at, 0, NEW.cost_usd, o.provider,
          o.proxy_type, o.country, o.offer_id, starts, greatest(starts, NEW.expires_at)
        FROM proxy_order o WHERE o.id = NEW.order_id AND NEW.kind = 'append';
        INSERT INTO money_note (what, id) SELECT 'gift', NEW.id WHERE NEW.cost_usd IS NOT NULL;
        RETURN NULL;
      END IF;
      IF NEW.kind = 'restart' THEN
        UPDATE revenue_term SET ended_at = starts WHERE order_id = NEW.order_id AND ends_at > starts AND ended_at IS NULL;
      END IF;
      WITH term AS (
        INSERT INTO revenue_term (transaction_id, order_id, user_id, kind, is_auto_renewal, sold_at, delivered_at, amount_usd,
          cost_usd, provider, proxy_type, country, offer_id, starts_at, ends_at)
        SELECT p.id, o.id, o.user_id, NEW.kind, NEW.origin = 'auto_renew', p.updated_at, NEW.updated_at, NEW.total_usd,
          NEW.cost_usd, o.provider, o.proxy_type, o.country, o.offer_id, starts, greatest(starts, NEW.expires_at)
        FROM proxy_order o JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = 'change:' || NEW.id AND p.status = 'completed'
        WHERE o.id = NEW.order_id
        RETURNING transaction_id
      )
      INSERT INTO money_note (what, id) SELECT 'delivery', transaction_id FROM term;
      RETURN NULL;
    END $$
  `
})

/** Time that is given costs the operator what a vendor takes for it. Its record has no revenue. */
const costs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [view] = yield* sql<{ definition: string }>`SELECT pg_get_viewdef('money_record'::regclass) AS definition`
  const definition = (view?.definition ?? "").replace(/;\s*$/, "")
  yield* sql`
    CREATE OR REPLACE VIEW money_record AS
    ${sql.literal(definition)}
    UNION ALL
    SELECT 'gift', c.id, (c.updated_at AT TIME ZONE 'UTC')::date, c.currency, 'gift', o.provider, o.proxy_type, o.country,
      o.offer_id, NULL, 1, 0::bigint, 0::bigint, c.cost_usd, 1, 0::bigint
    FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
    WHERE c.origin = 'staff' AND c.status = 'applied' AND c.cost_usd IS NOT NULL
  `
  yield* sql`CREATE INDEX proxy_change_given_costs ON proxy_change (id) WHERE origin = 'staff' AND cost_usd IS NOT NULL`
})

const releases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A proxy that staff end. The row stays until the provider has ended the proxy and the order is cancelled.
  yield* sql`
    CREATE TABLE order_release (
      order_id uuid PRIMARY KEY REFERENCES proxy_order (id),
      created_at timestamptz NOT NULL,
      try_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE INDEX order_release_due ON order_release (try_at)`
  yield* sql`
    ALTER TABLE order_event
      DROP CONSTRAINT order_event_actor,
      ADD CONSTRAINT order_event_actor CHECK (
        CASE actor
          WHEN 'session' THEN actor_id IS NULL AND kind <> 'renewal_failed'
          WHEN 'api_key' THEN actor_id IS NOT NULL AND kind <> 'renewal_failed'
          WHEN 'oauth' THEN actor_id IS NOT NULL AND kind <> 'renewal_failed'
          WHEN 'service' THEN actor_id IS NULL AND kind IN ('renewal_failed', 'released')
          ELSE false
        END
      )
  `
})

const notices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE notification DROP CONSTRAINT notification_kind_check, ADD CONSTRAINT notification_kind_check
      CHECK (kind IN ('proxy_expiring', 'proxy_renewed', 'renewal_failed', 'renewal_price', 'deposit_credited',
        'auto_top_up_made', 'auto_top_up_failed', 'auto_top_up_stopped', 'auto_top_up_limit', 'provisioning_failed',
        'change_failed', 'proxy_reduced', 'proxy_replaced', 'proxy_ended', 'webhook_failing', 'webhook_disabled',
        'payment_reversed', 'payment_returned', 'payout'))
  `
})

const payments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The payment that a callback is about; null when it fits none, or was stored before.
  yield* sql`ALTER TABLE payment_callback ADD COLUMN payment_intent_id uuid`
  yield* sql`
    CREATE INDEX payment_callback_of_a_payment ON payment_callback (payment_intent_id) WHERE payment_intent_id IS NOT NULL
  `
  yield* sql`CREATE INDEX payment_intent_listed ON payment_intent (status, id)`
  yield* sql`CREATE INDEX payment_intent_by_method ON payment_intent (payment_method, id)`
})
