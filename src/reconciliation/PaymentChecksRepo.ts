import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import type { Check } from "./SnapshotRepo.ts"

const section = "payments" as const

/** Payments whose time is up are ended within minutes, after their gateway was asked. */
const patience = { minutes: 30 }

const byHand = "compare with the gateway's own record of it; settle it with the customer"

/** Each movement of money at a gateway is one completed deposit, and each deposit one such movement or a share of it. */
const credits = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT format('charge %s of %s', c.charge_id, c.payment_method) AS subject, CASE
          WHEN t.id IS NULL THEN format('brought %s %s, and entry %s is not there', c.amount, c.currency, c.transaction_id)
          ELSE format('brought %s %s, and entry %s is a %s %s of %s %s (%s)', c.amount, c.currency, t.id, t.status,
            t.transaction_type, t.amount, t.currency, coalesce(t.external_id, 'no charge'))
        END AS problem
      FROM payment_charge c LEFT JOIN wallet_transaction t ON t.id = c.transaction_id
      WHERE (c.user_id, c.currency, c.amount, c.payment_method, c.charge_id, 'deposit', 'completed') IS DISTINCT FROM
        (t.user_id, t.currency, t.amount, t.payment_method, t.external_id, t.transaction_type, t.status)
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'entry ' || t.id AS subject,
        format('credits %s %s (%s) that came in by no charge', t.amount, t.currency, t.reference) AS problem
      FROM wallet_transaction t LEFT JOIN payment_charge c ON c.transaction_id = t.id
      WHERE t.transaction_type = 'deposit' AND t.status = 'completed' AND c.charge_id IS NULL AND NOT EXISTS (
        SELECT FROM payment_charge s
        WHERE t.reference LIKE 'referral:%' AND s.payment_method = split_part(t.reference, ':', 2)
          AND s.charge_id = substr(t.reference, length('referral::') + length(split_part(t.reference, ':', 2)) + 1)
          AND s.currency = t.currency AND t.amount < s.amount
      )
    `
  }
]

const intents = (sql: SqlClient.SqlClient, now: DateTime.Utc): ReadonlyArray<Check> => [
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'payment ' || i.id AS subject, format('is %s, its entry %s is %s, and its charge is %s', i.status,
        i.transaction_id, coalesce(t.status, 'not there'), coalesce(c.charge_id, 'none')) AS problem
      FROM payment_intent i
      LEFT JOIN wallet_transaction t ON t.id = i.transaction_id
      LEFT JOIN payment_charge c ON c.transaction_id = i.transaction_id AND c.payment_intent_id = i.id
      WHERE (i.user_id, i.currency, i.amount, i.status = 'paid',
          CASE i.status WHEN 'pending' THEN 'pending' WHEN 'paid' THEN 'completed' ELSE 'failed' END)
        IS DISTINCT FROM (t.user_id, t.currency, t.amount, c.charge_id IS NOT NULL, t.status)
    `
  },
  {
    section,
    remedy: "the service's jobs finish this: see that one runs, and what its log says of this id",
    rows: sql`
      SELECT 'payment ' || id AS subject, format('is pending, and its time was up at %s', expires_at) AS problem
      FROM payment_intent
      WHERE status = 'pending' AND expires_at < ${DateTime.toDate(DateTime.subtract(now, patience))}
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'order ' || o.id AS subject, format('waits for payment %s, which is %s', coalesce(o.payment_intent_id::text,
        'none'), coalesce(i.status, 'not there')) AS problem
      FROM proxy_order o LEFT JOIN payment_intent i ON i.id = o.payment_intent_id
      WHERE o.status = 'waiting_payment' AND i.status IS DISTINCT FROM 'pending'
    `
  }
]

const counted = (sql: SqlClient.SqlClient) => sql`
  SELECT format('%s payments, %s charges', count(*), (SELECT count(*) FROM payment_charge)) AS what FROM payment_intent
`

/** Payments against the ledger: credited exactly once, as they came in. */
export const make = (sql: SqlClient.SqlClient, now: DateTime.Utc) => ({
  section,
  checks: [...credits(sql), ...intents(sql, now)],
  counted: counted(sql)
})
