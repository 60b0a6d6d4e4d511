import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Daily and monthly sums of the ledger. A trigger notes each new record, and a job adds noted records to the sums of their day and month. A note
 * is visible exactly when its record is, so no record is lost or counted twice, however late it commits.
 */
export default Effect.gen(function* () {
  yield* records
  yield* sums
  yield* notes
  yield* rebuild
})

/** The columns that name a sum. */
const dimensions = "day, currency, flow, provider, proxy_type, country, offer_id, channel"
const month = "date_trunc('month', day::timestamp)::date"
const figures = "entries, amount, usd, cost_usd, costed, costed_usd"

/**
 * Each record as it counts in the sums. `flow` follows from type, cause and reference only. A reference is read inside CASE,
 * because the planner would otherwise cast every reference. A delivery carries the cost: a failed purchase has none.
 */
const records = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE VIEW money_record AS
    SELECT 'entry' AS what, t.id, (t.updated_at AT TIME ZONE 'UTC')::date AS day, t.currency,
      CASE t.transaction_type
        WHEN 'payment' THEN CASE WHEN c.id IS NOT NULL THEN c.kind WHEN t.reference LIKE 'ip_check:%' THEN 'ip_check'
          ELSE 'order' END
        WHEN 'refund' THEN CASE WHEN t.cause IS NOT NULL THEN 'refund_' || t.cause
          WHEN t.reference LIKE 'refund:%' THEN 'refund_whole' ELSE 'reversal' END
        WHEN 'deposit' THEN coalesce(t.cause, CASE WHEN t.reference LIKE 'referral:%' THEN 'referral'
          WHEN t.reference LIKE 'reversal:%' THEN 'given_back' ELSE coalesce(t.payment_method, 'unknown') END)
        ELSE coalesce(t.cause, CASE WHEN t.reference LIKE 'referral:%' THEN 'referral_returned'
          WHEN t.reference LIKE 'reversal:%' THEN 'taken_back' ELSE 'unknown' END)
      END AS flow,
      o.provider, o.proxy_type, o.country, o.offer_id,
      CASE
        WHEN t.transaction_type NOT IN ('payment', 'refund') THEN NULL
        WHEN c.origin = 'auto_renew' THEN 'auto_renew'
        WHEN p.grant_id IS NOT NULL THEN 'agents'
        WHEN p.api_key_id IS NULL THEN 'pages'
        WHEN EXISTS (SELECT FROM agent_registration a WHERE a.api_key_id = p.api_key_id) THEN 'agents'
        ELSE 'api'
      END AS channel,
      1 AS entries, t.amount, u.usd, 0::bigint AS cost_usd, 0 AS costed,
      CASE WHEN t.transaction_type = 'refund' AND r.cost_usd IS NOT NULL THEN u.usd ELSE 0 END AS costed_usd
    FROM wallet_transaction t
    LEFT JOIN proxy_order o ON o.id = t.order_id
    LEFT JOIN wallet_transaction p ON p.id = CASE t.transaction_type WHEN 'refund' THEN t.refunded_transaction_id
      WHEN 'payment' THEN t.id END
    LEFT JOIN proxy_change c ON c.id = CASE WHEN p.reference LIKE 'change:%' THEN substr(p.reference, 8)::uuid END
    LEFT JOIN revenue_term r ON r.transaction_id = t.refunded_transaction_id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN t.currency = 'USD' THEN t.amount WHEN t.transaction_type = 'payment' THEN -t.amount_usd
        WHEN t.transaction_type = 'refund' THEN round(p.amount_usd * t.amount::numeric / -p.amount)::bigint
        ELSE 0 END AS usd
    ) u
    WHERE t.status = 'completed'
    UNION ALL
    SELECT 'delivery', r.transaction_id, (r.delivered_at AT TIME ZONE 'UTC')::date, p.currency, 'delivery', r.provider,
      r.proxy_type, r.country, r.offer_id,
      CASE
        WHEN r.is_auto_renewal THEN 'auto_renew'
        WHEN p.grant_id IS NOT NULL THEN 'agents'
        WHEN p.api_key_id IS NULL THEN 'pages'
        WHEN EXISTS (SELECT FROM agent_registration a WHERE a.api_key_id = p.api_key_id) THEN 'agents'
        ELSE 'api'
      END,
      1, 0, 0, coalesce(r.cost_usd, 0), (r.cost_usd IS NOT NULL)::int,
      CASE WHEN r.cost_usd IS NULL THEN 0 ELSE -r.amount_usd END
    FROM revenue_term r JOIN wallet_transaction p ON p.id = r.transaction_id
    UNION ALL
    SELECT 'payment', i.id, (i.updated_at AT TIME ZONE 'UTC')::date, i.currency, i.payment_method || '_' || i.status, NULL,
      NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0
    FROM payment_intent i WHERE i.status IN ('failed', 'expired')
  `
})

const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Amounts are signed as in the ledger. The costed columns count deliveries whose cost is known, and their returns. The sums
  // of a month have its first day.
  for (const table of ["money_day", "money_month"])
    yield* sql`
      CREATE TABLE ${sql(table)} (
        day date NOT NULL,
        currency text NOT NULL,
        flow text NOT NULL CHECK (length(flow) BETWEEN 1 AND 100),
        provider text,
        proxy_type text,
        country text,
        offer_id integer,
        channel text CHECK (channel IN ('pages', 'api', 'agents', 'auto_renew')),
        entries integer NOT NULL CHECK (entries > 0),
        amount bigint NOT NULL,
        usd bigint NOT NULL,
        cost_usd bigint NOT NULL CHECK (cost_usd >= 0),
        costed integer NOT NULL CHECK (costed BETWEEN 0 AND entries),
        costed_usd bigint NOT NULL,
        CONSTRAINT ${sql(`${table}_once`)} UNIQUE NULLS NOT DISTINCT (${sql.literal(dimensions)})
      )
    `
  yield* sql`ALTER TABLE money_month ADD CONSTRAINT money_month_begins CHECK (day = date_trunc('month', day::timestamp)::date)`
  yield* sql`
    CREATE VIEW money AS
    SELECT ${sql.literal(dimensions)}, ${sql.literal(figures)} FROM money_day
    UNION ALL
    SELECT ${sql.literal(dimensions)}, ${sql.literal(figures)} FROM money_note n JOIN money_record r USING (what, id)
  `
  yield* sql`
    CREATE VIEW money_by_month AS
    SELECT ${sql.literal(dimensions)}, ${sql.literal(figures)} FROM money_month
    UNION ALL
    SELECT ${sql.literal(dimensions.replace("day", `${month} AS day`))}, ${sql.literal(figures)}
    FROM money_note n JOIN money_record r USING (what, id)
  `
})

/** Concurrent purchases share a statement, so the triggers of the purchase run for a statement and not for a row. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION money_note_new() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO money_note (what, id) SELECT 'entry', id FROM added WHERE status = 'completed';
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_noted AFTER INSERT ON wallet_transaction REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION money_note_new()
  `
  yield* sql`
    CREATE FUNCTION money_note_row() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO money_note (what, id) VALUES (TG_ARGV[0], NEW.id);
      RETURN NULL;
    END $$
  `
  yield* sql`
    CREATE TRIGGER wallet_transaction_noted_later AFTER UPDATE OF status ON wallet_transaction
    FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'completed') EXECUTE FUNCTION money_note_row('entry')
  `
  yield* sql`
    CREATE TRIGGER payment_intent_noted AFTER UPDATE OF status ON payment_intent
    FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status IN ('failed', 'expired'))
    EXECUTE FUNCTION money_note_row('payment')
  `
})

/**
 * Makes the sums of the ledger again, in one transaction for which purchases wait. Sums of payments that were not paid stay,
 * because such payments are deleted in time.
 */
const rebuild = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const totals = "sum(entries), sum(amount), sum(usd), sum(cost_usd), sum(costed), sum(costed_usd)"
  yield* sql`
    CREATE FUNCTION money_rebuild() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('money_day'));
      LOCK TABLE money_note IN SHARE ROW EXCLUSIVE MODE;
      DELETE FROM money_note WHERE what <> 'payment';
      DELETE FROM money_day WHERE flow !~ '_(failed|expired)$';
      DELETE FROM money_month;
      INSERT INTO money_day (${sql.literal(dimensions)}, ${sql.literal(figures)})
      SELECT ${sql.literal(`${dimensions}, ${totals}`)} FROM money_record WHERE what <> 'payment'
      GROUP BY ${sql.literal(dimensions)};
      INSERT INTO money_month (${sql.literal(dimensions)}, ${sql.literal(figures)})
      SELECT ${sql.literal(`${dimensions.replace("day", `${month} AS day`)}, ${totals}`)} FROM money_day
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
    END $$
  `
  yield* sql`SELECT money_rebuild()`
  yield* sql`INSERT INTO money_note (what, id) SELECT what, id FROM money_record WHERE what = 'payment'`
})
