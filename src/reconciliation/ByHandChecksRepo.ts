import type { SqlClient } from "effect/sql"
import type { Check } from "./SnapshotRepo.ts"

const section = "ledger" as const
const remedy = "find out in the audit log who moved this money, then settle it with the customer"

/** Each entry of staff has a record that says who and why. */
const entries = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy,
    rows: sql`
      SELECT 'entry ' || t.id AS subject, format('is a %s of %s %s (%s) without its record', coalesce(t.cause, t.transaction_type),
        t.amount, t.currency, t.reference) AS problem
      FROM wallet_transaction t
      WHERE (t.cause IS NOT NULL OR (t.transaction_type = 'refund' AND t.reference LIKE 'refund:%')) AND NOT CASE
        WHEN t.cause IN ('goodwill', 'goodwill_revoked', 'correction') THEN EXISTS (
          SELECT FROM wallet_adjustment a WHERE a.transaction_id = t.id AND (a.user_id, a.currency, a.amount, a.cause, a.status)
            = (t.user_id, t.currency, t.amount, t.cause, 'booked')
        )
        WHEN t.cause = 'warranty' THEN EXISTS (
          SELECT FROM warranty_claim c
          WHERE c.transaction_id = t.id AND (c.user_id, c.currency, c.amount) = (t.user_id, t.currency, t.amount)
        )
        WHEN t.cause = 'gateway_refund' THEN EXISTS (
          SELECT FROM gateway_refund g
          WHERE g.withdrawal_id = t.id AND (g.user_id, g.currency, -g.amount) = (t.user_id, t.currency, t.amount)
        )
        WHEN t.cause = 'payout_returned' THEN EXISTS (
          SELECT FROM gateway_refund g WHERE g.return_id = t.id AND g.status = 'failed'
            AND (g.user_id, g.currency, g.given_back) = (t.user_id, t.currency, t.amount)
        )
        WHEN t.cause = 'payout' THEN EXISTS (
          SELECT FROM payout p
          WHERE p.withdrawal_id = t.id AND (p.user_id, p.currency, -p.amount) = (t.user_id, t.currency, t.amount)
        )
        WHEN t.cause = 'payout_declined' THEN EXISTS (
          SELECT FROM payout p WHERE p.return_id = t.id AND p.status IN ('declined', 'cancelled')
            AND (p.user_id, p.currency, p.amount) = (t.user_id, t.currency, t.amount)
        )
        ELSE EXISTS (
          SELECT FROM order_refund_part p JOIN order_refund r ON r.id = p.refund_id
          WHERE p.transaction_id = t.id AND r.status = 'booked' AND r.order_id = t.order_id
            AND (p.payment_id, p.user_id, p.currency, p.amount)
              = (t.refunded_transaction_id, t.user_id, t.currency, t.amount)
        )
      END
    `
  },
  {
    section,
    remedy,
    rows: sql`
      SELECT 'entry ' || p.id AS subject,
        format('is a payment of %s %s, and %s of it are returned', -p.amount, p.currency, sum(r.amount)) AS problem
      FROM wallet_transaction r JOIN wallet_transaction p ON p.id = r.refunded_transaction_id
      WHERE r.transaction_type = 'refund' GROUP BY p.id HAVING sum(r.amount) > -p.amount
    `
  }
]

/** Each booked record of staff has its entries. */
const records = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy,
    rows: sql`
      SELECT 'adjustment ' || a.id AS subject, format('by %s is %s and moves %s %s (%s); %s', a.created_by_name, a.status,
        a.amount, a.currency, a.cause, CASE WHEN t.id IS NULL THEN 'it has no entry'
          ELSE format('entry %s is a %s of %s %s', t.id, coalesce(t.cause, t.transaction_type), t.amount, t.currency) END)
        AS problem
      FROM wallet_adjustment a LEFT JOIN wallet_transaction t ON t.id = a.transaction_id
      WHERE (a.status = 'booked') <> (t.id IS NOT NULL) OR (t.id IS NOT NULL
        AND (a.user_id, a.currency, a.amount, a.cause) IS DISTINCT FROM (t.user_id, t.currency, t.amount, t.cause))
    `
  },
  {
    section,
    remedy,
    rows: sql`
      SELECT 'adjustment ' || a.id AS subject,
        format('gave %s %s, and %s of it are taken back', a.amount, a.currency, -sum(r.amount)) AS problem
      FROM wallet_adjustment r JOIN wallet_adjustment a ON a.id = r.revokes
      WHERE r.status = 'booked' GROUP BY a.id HAVING -sum(r.amount) > a.amount
    `
  },
  {
    section,
    remedy,
    rows: sql`
      SELECT 'refund ' || r.id AS subject, format('of order %s by %s is %s and returns %s %s; its entries return %s',
        r.order_id, r.created_by_name, r.status, r.amount, r.currency, coalesce(sum(t.amount), 0)) AS problem
      FROM order_refund r LEFT JOIN order_refund_part p ON p.refund_id = r.id
      LEFT JOIN wallet_transaction t ON t.id = p.transaction_id AND t.refunded_transaction_id = p.payment_id
        AND t.order_id = r.order_id AND t.status = 'completed'
      GROUP BY r.id
      HAVING coalesce(sum(t.amount), 0) <> CASE r.status WHEN 'booked' THEN r.amount ELSE 0 END
    `
  }
]

/** Each request for money of a wallet has taken it, and has returned it exactly when it was declined or cancelled. */
const payouts = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy,
    rows: sql`
      SELECT 'payout ' || p.id AS subject, format('is %s and pays %s %s out; it took %s from the wallet and returned %s',
        p.status, p.amount, p.currency, coalesce(-w.amount, 0), coalesce(b.amount, 0)) AS problem
      FROM payout p
      LEFT JOIN wallet_transaction w ON w.id = p.withdrawal_id AND w.user_id = p.user_id AND w.cause = 'payout'
      LEFT JOIN wallet_transaction b ON b.id = p.return_id AND b.user_id = p.user_id AND b.cause = 'payout_declined'
      WHERE coalesce(-w.amount, 0) <> p.amount
        OR coalesce(b.amount, 0) <> CASE WHEN p.status IN ('declined', 'cancelled') THEN p.amount ELSE 0 END
    `
  }
]

/** Each credit of the warranty follows from its outage and its payment, and has its entry. */
const claims = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: "find out who changed the database, then settle it with the customer",
    rows: sql`
      SELECT 'claim ' || c.id || ' of order ' || c.order_id AS subject,
        format('credits %s %s of %s for %s of %s seconds; %s', c.amount, c.currency, c.paid, c.down_seconds, c.period_seconds,
          CASE
            WHEN t.id IS NULL THEN 'it has no entry of this amount'
            WHEN g.id IS NULL THEN 'its outage is missing, or of another order'
            WHEN NOT g.settled THEN 'its outage is not settled'
            WHEN c.down_seconds > extract(epoch FROM g.to_at - g.from_at) THEN 'its outage was shorter'
            WHEN g.to_at - g.from_at < interval '15 minutes' THEN 'its outage was too short for a credit'
            WHEN p.id IS NULL THEN 'the order has no such payment'
            WHEN c.amount > div(c.paid::numeric * c.down_seconds, c.period_seconds) THEN 'the share is smaller'
            ELSE 'more than the payment was credited and returned'
          END) AS problem
      FROM warranty_claim c
      LEFT JOIN wallet_transaction t ON t.id = c.transaction_id
        AND (t.user_id, t.currency, t.amount, t.cause) = (c.user_id, c.currency, c.amount, 'warranty')
      LEFT JOIN proxy_outage g ON g.id = c.outage_id AND g.order_id = c.order_id
      LEFT JOIN wallet_transaction p ON p.id = c.payment_id AND p.transaction_type = 'payment' AND p.order_id = c.order_id
        AND (p.user_id, p.currency, -p.amount) = (c.user_id, c.currency, c.paid)
      WHERE t.id IS NULL OR g.id IS NULL OR p.id IS NULL OR NOT g.settled OR g.to_at - g.from_at < interval '15 minutes'
        OR c.down_seconds > extract(epoch FROM g.to_at - g.from_at)
        OR c.amount > div(c.paid::numeric * c.down_seconds, c.period_seconds)
        OR c.paid < (SELECT sum(amount) FROM warranty_claim WHERE payment_id = c.payment_id)
    `
  }
]

/** Compares money that staff has moved with the records that say who and why. */
export const make = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  ...entries(sql),
  ...records(sql),
  ...payouts(sql),
  ...claims(sql)
]
