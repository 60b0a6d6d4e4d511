import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The times that payments bought, from which unearned revenue, renewals and churn follow. Triggers keep them. Figures of a
 * day that has ended are stored once and stay.
 */
export default Effect.gen(function* () {
  yield* terms
  yield* ofOrders
  yield* ofChanges
  yield* frozen
  yield* fill
})

const terms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What a payment bought, once it was delivered. Triggers copy it from rows that are never deleted, so foreign keys would only
  // cost time. A cost that is null is unknown.
  yield* sql`
    CREATE TABLE revenue_term (
      transaction_id uuid PRIMARY KEY,
      order_id uuid NOT NULL,
      user_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('order', 'append', 'restart', 'traffic')),
      is_auto_renewal boolean NOT NULL,
      sold_at timestamptz NOT NULL,
      delivered_at timestamptz NOT NULL,
      amount_usd bigint NOT NULL CHECK (amount_usd > 0),
      cost_usd bigint CHECK (cost_usd >= 0),
      provider text NOT NULL,
      proxy_type text NOT NULL,
      country text NOT NULL,
      offer_id integer NOT NULL,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at >= starts_at),
      -- The time of an end before ends_at.
      ended_at timestamptz CHECK (ended_at < ends_at)
    )
  `
  // A record that is not in the sums of 0068_money_days yet. Without an index, because a note lives for seconds.
  yield* sql`CREATE TABLE money_note (what text NOT NULL, id uuid NOT NULL)`
  yield* sql`CREATE INDEX revenue_term_of_order ON revenue_term (order_id)`
  yield* sql`CREATE INDEX revenue_term_ends ON revenue_term (ends_at)`
  yield* sql`CREATE INDEX revenue_term_ended ON revenue_term (ended_at) WHERE ended_at IS NOT NULL`
  yield* sql`
    CREATE INDEX wallet_transaction_refunded_at ON wallet_transaction (created_at) WHERE transaction_type = 'refund'
  `
})

/** Concurrent deliveries share a statement, so their trigger runs for a statement and not for a row. */
const ofOrders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION revenue_term_of_orders() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      WITH term AS (
        INSERT INTO revenue_term (transaction_id, order_id, user_id, kind, is_auto_renewal, sold_at, delivered_at, amount_usd,
          cost_usd, provider, proxy_type, country, offer_id, starts_at, ends_at)
        SELECT p.id, n.id, n.user_id, 'order', false, p.updated_at, n.updated_at, coalesce(p.amount_usd, -p.amount),
          n.cost_usd, n.provider, n.proxy_type, n.country, n.offer_id, n.updated_at, greatest(n.updated_at, n.expires_at)
        FROM changed n JOIN former f ON f.id = n.id JOIN wallet_transaction p
          ON p.transaction_type = 'payment' AND p.reference = n.id::text AND p.status = 'completed'
        WHERE f.status = 'paid' AND n.status = 'provisioned'
        RETURNING transaction_id
      )
      INSERT INTO money_note (what, id) SELECT 'delivery', transaction_id FROM term;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_terms AFTER UPDATE ON proxy_order REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION revenue_term_of_orders()
  `
  yield* sql`
    CREATE FUNCTION revenue_term_ended() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE revenue_term SET ended_at = NEW.updated_at
      WHERE order_id = NEW.id AND ends_at > NEW.updated_at AND ended_at IS NULL;
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER proxy_order_ends_terms AFTER UPDATE OF status ON proxy_order
    FOR EACH ROW WHEN (OLD.status = 'provisioned' AND NEW.status <> 'provisioned') EXECUTE FUNCTION revenue_term_ended()
  `
})

/** An extension lasts from the old end to the new one. A restart cuts off the time before it. Traffic lasts to the end. */
const ofChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION revenue_term_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      starts timestamptz := CASE NEW.kind WHEN 'append' THEN NEW.previous_expires_at
        WHEN 'restart' THEN coalesce(NEW.attempted_at, NEW.updated_at) ELSE NEW.updated_at END;
    BEGIN
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
  yield* sql`
    CREATE TRIGGER proxy_change_term AFTER UPDATE OF status ON proxy_change
    FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'applied') EXECUTE FUNCTION revenue_term_of_change()
  `
})

/** Figures at the end of a day in UTC. A row of `customer_day` says that the day is stored. */
const frozen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What was paid for time that had not passed.
  yield* sql`
    CREATE TABLE deferred_day (
      day date NOT NULL,
      provider text NOT NULL,
      proxy_type text NOT NULL,
      amount_usd bigint NOT NULL CHECK (amount_usd > 0),
      PRIMARY KEY (day, provider, proxy_type)
    )
  `
  // What wallets held: money that was paid, and money that was given.
  yield* sql`
    CREATE TABLE liability_day (
      day date NOT NULL,
      currency text NOT NULL CHECK (currency IN ('USD', 'STAR')),
      paid bigint NOT NULL,
      granted bigint NOT NULL CHECK (granted >= 0),
      PRIMARY KEY (day, currency)
    )
  `
  // The terms that ended on the day: renewed, renewed by the job, ended before their time.
  yield* sql`
    CREATE TABLE renewal_day (
      day date NOT NULL,
      provider text NOT NULL,
      proxy_type text NOT NULL,
      due integer NOT NULL CHECK (due >= 0),
      renewed integer NOT NULL CHECK (renewed BETWEEN 0 AND due),
      auto_renewed integer NOT NULL CHECK (auto_renewed BETWEEN 0 AND renewed),
      ended_early integer NOT NULL CHECK (ended_early >= 0),
      PRIMARY KEY (day, provider, proxy_type)
    )
  `
  // Customers with a running term at the end of the day, 30 days before, and at both.
  yield* sql`
    CREATE TABLE customer_day (
      day date PRIMARY KEY,
      live integer NOT NULL CHECK (live >= 0),
      live_before integer NOT NULL CHECK (live_before >= 0),
      stayed integer NOT NULL CHECK (stayed BETWEEN 0 AND least(live, live_before))
    )
  `
  yield* sql`
    CREATE FUNCTION day_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the figures of a day stay as they were stored' USING ERRCODE = 'restrict_violation';
    END $$
  `
  for (const table of ["deferred_day", "liability_day", "renewal_day", "customer_day"])
    yield* sql`
      CREATE TRIGGER day_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON ${sql(table)}
      FOR EACH STATEMENT EXECUTE FUNCTION day_refuse()
    `
})

/** The terms of what was delivered before. The end of an ended order is the last change of its row. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO revenue_term (transaction_id, order_id, user_id, kind, is_auto_renewal, sold_at, delivered_at, amount_usd,
      cost_usd, provider, proxy_type, country, offer_id, starts_at, ends_at)
    SELECT p.id, o.id, o.user_id, s.kind, s.is_auto_renewal, p.updated_at, s.delivered_at, coalesce(p.amount_usd, -p.amount),
      s.cost_usd, o.provider, o.proxy_type, o.country, o.offer_id, s.starts_at, greatest(s.starts_at, s.ends_at)
    FROM (
      SELECT o.id AS order_id, o.id::text AS reference, 'order' AS kind, false AS is_auto_renewal, o.cost_usd,
        coalesce(a.at, o.created_at) AS delivered_at, coalesce(a.at, o.created_at) AS starts_at,
        coalesce(c.previous_expires_at, o.expires_at) AS ends_at
      FROM proxy_order o
      LEFT JOIN (
        SELECT order_id, max(finished_at) AS at FROM provisioning_attempt WHERE outcome = 'provisioned' GROUP BY 1
      ) a ON a.order_id = o.id
      LEFT JOIN (
        SELECT DISTINCT ON (order_id) order_id, previous_expires_at FROM proxy_change
        WHERE status = 'applied' AND kind <> 'traffic' ORDER BY order_id, created_at, id
      ) c ON c.order_id = o.id
      WHERE o.provider_proxy_id IS NOT NULL
      UNION ALL
      SELECT order_id, 'change:' || id, kind, origin = 'auto_renew', cost_usd, updated_at,
        CASE kind WHEN 'append' THEN previous_expires_at WHEN 'restart' THEN coalesce(attempted_at, updated_at)
          ELSE updated_at END,
        expires_at
      FROM proxy_change WHERE status = 'applied'
    ) s
    JOIN proxy_order o ON o.id = s.order_id
    JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = s.reference AND p.status = 'completed'
  `
  yield* sql`
    UPDATE revenue_term t SET ended_at = e.at
    FROM (
      SELECT t.transaction_id, min(e.at) AS at
      FROM revenue_term t JOIN (
        SELECT id AS order_id, updated_at AS at, NULL::uuid AS by FROM proxy_order
        WHERE status IN ('cancelled', 'expired', 'refunded')
        UNION ALL
        SELECT order_id, starts_at, transaction_id FROM revenue_term WHERE kind = 'restart'
      ) e ON e.order_id = t.order_id AND e.by IS DISTINCT FROM t.transaction_id AND e.at < t.ends_at AND e.at >= t.sold_at
      GROUP BY 1
    ) e
    WHERE e.transaction_id = t.transaction_id
  `
})
