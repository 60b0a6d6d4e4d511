import type { SqlClient } from "effect/sql"
import type { Check } from "./SnapshotRepo.ts"

const section = "ledger" as const
const remedy =
  "the database keeps these figures, so look for a change by hand or a partial restore; docs/reports.md says how to make them again"

const compared = "day, flow, currency, provider, proxy_type, country, offer_id"

/**
 * The daily sums are those of the records. The channel is not compared, because a key of an agent may be deleted. Payments
 * that were not paid are deleted in time, so their sums are not compared either.
 */
const sums = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy,
  rows: sql`
    SELECT format('daily sum of %s, %s, %s', day, flow, currency) AS subject, format('differs from its records by %s in '
      'number, %s in amount, %s in micro-dollars and %s in costs (%s)', entries, amount, usd, cost_usd,
      concat_ws(' ', provider, proxy_type, country, offer_id)) AS problem
    FROM (
      SELECT ${sql.literal(compared)}, sum(side * entries) AS entries, sum(side * amount) AS amount, sum(side * usd) AS usd,
        sum(side * cost_usd) AS cost_usd, sum(side * costed) AS costed, sum(side * costed_usd) AS costed_usd
      FROM (
        SELECT 1 AS side, ${sql.literal(compared)}, entries, amount, usd, cost_usd, costed, costed_usd FROM money
        UNION ALL
        SELECT -1, ${sql.literal(compared)}, entries, amount, usd, cost_usd, costed, costed_usd
        FROM money_record WHERE what <> 'payment'
      ) sides
      WHERE flow !~ '_(failed|expired)$' GROUP BY ${sql.literal(compared)}
    ) difference
    WHERE (entries, amount, usd, cost_usd, costed, costed_usd) <> (0, 0, 0, 0, 0, 0)
  `
})

/** The sums by one property are those of the days. */
const splits = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy,
  rows: sql`
    SELECT format('daily sum of %s by %s, %s, %s', day, split, flow, currency) AS subject,
      format('differs from its day by %s in number, %s in amount and %s in micro-dollars (%s)', entries, amount, usd, value)
      AS problem
    FROM (
      SELECT split, day, value, flow, currency, sum(side * entries) AS entries, sum(side * amount) AS amount,
        sum(side * usd) AS usd, sum(side * cost_usd) AS cost_usd, sum(side * costed_usd) AS costed_usd
      FROM (
        SELECT 1 AS side, split, day, value, flow, currency, entries, amount, usd, cost_usd, costed_usd FROM money_split_day
        UNION ALL
        SELECT -1, s.split, s.at, s.value, flow, currency, entries, amount, usd, cost_usd, costed_usd
        FROM money_day CROSS JOIN LATERAL (
          VALUES ('all', day, NULL), ('provider', day, provider), ('kind', day, proxy_type), ('country', day, country),
            ('offer', day, offer_id::text), ('channel', day, channel),
            ('country_week', date_trunc('week', day::timestamp)::date, country),
            ('country_month', date_trunc('month', day::timestamp)::date, country),
            ('offer_month', date_trunc('month', day::timestamp)::date, offer_id::text)
        ) s (split, at, value)
      ) sides
      GROUP BY split, day, value, flow, currency
    ) difference
    WHERE (entries, amount, usd, cost_usd, costed_usd) <> (0, 0, 0, 0, 0)
  `
})

/** The stored balance of a day is that of its records. */
const balances = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy,
  rows: sql`
    SELECT format('stored day %s', day) AS subject,
      format('has a balance of %s %s; the sums until then are %s', paid + granted, currency, balance) AS problem
    FROM (
      SELECT l.day, l.currency, l.paid, l.granted, (
        SELECT sum(m.amount) FROM money m WHERE m.currency = l.currency AND m.day <= l.day
      ) AS balance
      FROM liability_day l WHERE l.day = (SELECT max(day) FROM liability_day)
    ) days
    WHERE balance IS DISTINCT FROM paid + granted
  `
})

/** Each payment for something delivered has its term, and each term its payment. */
const terms = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy,
  rows: sql`
    SELECT 'entry ' || coalesce(p.id, t.transaction_id) AS subject, CASE
        WHEN t.transaction_id IS NULL THEN format('paid %s for %s, which was delivered; its term is missing', -p.amount, d.subject)
        WHEN d.reference IS NULL THEN format('has a term of order %s, and nothing was delivered for it', t.order_id)
        ELSE format('paid for %s, and its term has %s micro-dollars at a cost of %s instead of %s at %s', d.subject,
          t.amount_usd, t.cost_usd, p.amount_usd, d.cost_usd) END AS problem
    FROM (
      SELECT id::text AS reference, 'order ' || id AS subject, cost_usd, id AS order_id
      FROM proxy_order WHERE provider_proxy_id IS NOT NULL
      UNION ALL
      SELECT 'change:' || id, 'change ' || id, cost_usd, order_id FROM proxy_change WHERE status = 'applied'
    ) d
    JOIN (
      SELECT id, reference, amount, coalesce(amount_usd, -amount) AS amount_usd FROM wallet_transaction
      WHERE transaction_type = 'payment' AND status = 'completed'
    ) p ON p.reference = d.reference
    FULL JOIN (SELECT * FROM revenue_term WHERE kind <> 'gift') t ON t.transaction_id = p.id
    WHERE (t.order_id, t.amount_usd) IS DISTINCT FROM (d.order_id, p.amount_usd) OR t.cost_usd IS DISTINCT FROM d.cost_usd
  `
})

/** Time that staff gave has a term without money. */
const gifts = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy,
  rows: sql`
    SELECT 'change ' || coalesce(c.id, t.transaction_id) AS subject, CASE
        WHEN t.transaction_id IS NULL THEN format('gave time to order %s; its term is missing', c.order_id)
        ELSE format('has a term of order %s as a gift, which it is not', t.order_id) END AS problem
    FROM (SELECT * FROM proxy_change WHERE origin = 'staff' AND kind = 'append' AND status = 'applied') c
    FULL JOIN (SELECT * FROM revenue_term WHERE kind = 'gift') t ON t.transaction_id = c.id
    WHERE (t.order_id, t.starts_at, t.ends_at, t.cost_usd)
      IS DISTINCT FROM (c.order_id, c.previous_expires_at, c.expires_at, c.cost_usd)
  `
})

/** Compares the figures of reports with the records. */
export const make = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  sums(sql),
  splits(sql),
  balances(sql),
  terms(sql),
  gifts(sql)
]
