import type { SqlClient } from "effect/sql"
import * as ByHandChecks from "./ByHandChecksRepo.ts"
import * as MoneyDayChecks from "./MoneyDayChecksRepo.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "ledger" as const
const changedByHand =
  "the database refuses to write this, so look for a partial restore or a change by hand; restore the rows from a backup"
const byHand = "find the cause in the log and in a backup, then settle it with the customer"

/** Each balance is the sum of its entries, and the entries form a chain without gaps. */
const balances = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'wallet ' || w.id AS subject, format('its balance is %s %s after %s entries; it has %s, the last is number '
        '%s, and they add up to %s', w.balance, w.currency, coalesce(w.seq, 0), coalesce(e.entries, 0),
        coalesce(e.last, 0), coalesce(e.sum, 0)) AS problem
      FROM wallet w LEFT JOIN (
        SELECT wallet_id, count(*) AS entries, max(seq) AS last, sum(amount) AS sum
        FROM wallet_transaction WHERE status = 'completed' GROUP BY wallet_id
      ) e ON e.wallet_id = w.id
      WHERE w.balance < 0 OR w.balance <> coalesce(e.sum, 0)
        OR (coalesce(w.seq, 0), coalesce(w.seq, 0)) <> (coalesce(e.entries, 0), coalesce(e.last, 0))
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'entry ' || id AS subject, format('is number %s and goes from %s by %s to %s; the one before is number %s '
        'and ends at %s', seq, balance_before, amount, balance_after, last_seq, last_balance) AS problem
      FROM (
        SELECT *, coalesce(lag(seq) OVER chain, 0) AS last_seq, coalesce(lag(balance_after) OVER chain, 0) AS last_balance
        FROM wallet_transaction WHERE status = 'completed' WINDOW chain AS (PARTITION BY wallet_id ORDER BY seq)
      ) entry
      WHERE balance_after < 0 OR (seq, balance_before, balance_after)
        IS DISTINCT FROM (last_seq + 1, last_balance::bigint, (last_balance + amount)::bigint)
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'wallet ' || w.id AS subject, format('%s of its %s %s are marked as sandbox money; by its entries it is %s',
        w.sandbox_balance, w.balance, w.currency, coalesce(e.sandbox, 0)) AS problem
      FROM wallet w LEFT JOIN (
        SELECT wallet_id, sum(sandbox_after - sandbox_before) AS sandbox
        FROM wallet_transaction WHERE status = 'completed' GROUP BY wallet_id
      ) e ON e.wallet_id = w.id
      WHERE w.sandbox_balance <> coalesce(e.sandbox, 0) OR w.sandbox_balance NOT BETWEEN 0 AND w.balance
    `
  }
]

/** Everything that wallets pay for: the reference of its payment, its cost, and its state. */
const purchases = `
  SELECT id::text AS reference, 'order ' || id AS subject, user_id, currency, total AS amount, status,
    status NOT IN ('new', 'waiting_payment') AND (status <> 'cancelled' OR provider_proxy_id IS NOT NULL) AND total > 0
      AS is_paid,
    status = 'refunded' AS is_refunded
  FROM proxy_order
  UNION ALL
  SELECT 'change:' || c.id, 'change ' || c.id || ' of order ' || c.order_id, o.user_id, c.currency, c.total, c.status,
    c.origin NOT IN ('staff', 'warranty'), c.status = 'refused' AND c.origin NOT IN ('staff', 'warranty')
  FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
  UNION ALL
  SELECT 'ip_check:' || id, 'IP check ' || id, user_id, 'USD', amount, status, NOT is_free, status = 'failed'
  FROM ip_check
`

/**
 * Each purchase has a payment of its cost, each failed purchase a refund, and there are no other payments and refunds.
 */
const bookings = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT coalesce(b.subject, 'entry ' || p.id) AS subject, CASE
          WHEN b.reference IS NULL THEN format('takes %s %s for %s, which is not on record', -p.amount, p.currency, p.reference)
          WHEN p.id IS NULL THEN format('is %s and costs %s %s; it has no payment', b.status, b.amount, b.currency)
          WHEN NOT b.is_paid THEN format('is %s, and entry %s took %s %s for it', b.status, p.id, -p.amount, p.currency)
          WHEN b.is_refunded AND r.id IS NULL THEN format('is %s, and entry %s was not refunded', b.status, p.id)
          WHEN r.id IS NOT NULL AND NOT b.is_refunded THEN format('is %s, and entry %s was refunded', b.status, p.id)
          ELSE format('costs %s %s, and entry %s (%s) takes %s %s', b.amount, b.currency, p.id, p.status, -p.amount, p.currency)
        END AS problem
      FROM (${sql.literal(purchases)}) b
      FULL JOIN (SELECT * FROM wallet_transaction WHERE transaction_type = 'payment') p ON p.reference = b.reference
      LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id AND r.cause IS NULL
      WHERE b.reference IS NULL OR b.is_paid <> (p.id IS NOT NULL) OR (b.is_paid AND (
        b.is_refunded <> (r.id IS NOT NULL)
        OR (b.user_id, b.currency, -b.amount, 'completed') IS DISTINCT FROM (p.user_id, p.currency, p.amount, p.status)
      ))
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'entry ' || r.id AS subject, format('refunds %s %s of entry %s, which %s', r.amount, r.currency,
        r.refunded_transaction_id, CASE WHEN p.id IS NULL THEN 'is missing'
          ELSE format('is a %s of %s %s (%s)', p.transaction_type, p.amount, p.currency, p.status) END) AS problem
      FROM wallet_transaction r LEFT JOIN wallet_transaction p ON p.id = r.refunded_transaction_id
      WHERE r.transaction_type = 'refund' AND (
        (p.transaction_type, p.status, p.wallet_id, r.status) IS DISTINCT FROM ('payment', 'completed', r.wallet_id, 'completed')
        OR (r.cause IS NULL AND r.amount <> -p.amount)
      )
    `
  }
]

const counted = (sql: SqlClient.SqlClient) => sql`
  SELECT format('%s wallets, %s completed entries, %s purchases', (SELECT count(*) FROM wallet),
    (SELECT count(*) FROM wallet_transaction WHERE status = 'completed'),
    (SELECT count(*) FROM wallet_transaction WHERE transaction_type = 'payment')) AS what
`

/** Compares the ledger with balances and purchases. */
export const make = (sql: SqlClient.SqlClient) => ({
  section,
  checks: [...balances(sql), ...bookings(sql), ...ByHandChecks.make(sql), ...MoneyDayChecks.make(sql)],
  counted: counted(sql)
})
