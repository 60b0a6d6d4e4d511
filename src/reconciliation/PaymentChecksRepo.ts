import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import * as DocumentChecks from "./DocumentChecksRepo.ts"
import * as PaidBackChecks from "./PaidBackChecksRepo.ts"
import * as Remedies from "./Remedies.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "payments" as const

/** A job ends an expired payment within minutes, after it has asked the gateway. */
const patience = { minutes: 30 }

const byHand = "compare it with the gateway's own record, then settle it with the customer"

/**
 * Each charge is one completed deposit. Each deposit is a charge, a referral share of one, or the return of a reversal.
 */
const credits = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT format('charge %s of %s', c.charge_id, c.payment_method) AS subject, CASE
          WHEN t.id IS NULL THEN format('brought %s %s, and entry %s is missing', c.amount, c.currency, c.transaction_id)
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
        format('credits %s %s (%s) that no charge brought', t.amount, t.currency, t.reference) AS problem
      FROM wallet_transaction t LEFT JOIN payment_charge c ON c.transaction_id = t.id
      WHERE t.transaction_type = 'deposit' AND t.status = 'completed' AND t.cause IS NULL AND c.charge_id IS NULL
        AND NOT EXISTS (
          SELECT FROM referral_share s JOIN payment_charge p USING (payment_method, charge_id)
          WHERE s.transaction_id = t.id AND (s.referrer_id, s.currency, s.amount) = (t.user_id, t.currency, t.amount)
            AND p.currency = s.currency AND s.amount < p.amount
        )
        AND NOT EXISTS (
          SELECT FROM payment_reversal r
          WHERE r.return_id = t.id AND (r.user_id, r.currency, r.given_back) = (t.user_id, t.currency, t.amount)
        )
    `
  }
]

/** The reversals of a charge together debit its wallet once, as far as the wallet has the money. */
const takenBack = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: "settle it with the customer, then let the account buy again with the command reversals lift",
    rows: sql`
      SELECT format('charge %s of %s', charge_id, payment_method) AS subject, format('%s %s of it are taken back, and the '
        'wallet of account %s had %s of that', claimed, currency, user_id, held) AS problem
      FROM payment_taken_back b WHERE held < claimed AND EXISTS (
        SELECT FROM payment_reversal r WHERE (r.payment_method, r.charge_id, r.status)
          = (b.payment_method, b.charge_id, 'taken') AND r.lifted_at IS NULL
      )
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT format('charge %s of %s', charge_id, payment_method) AS subject, format('%s %s of it are taken back, and %s '
        'are debited of account %s and not given back', claimed, currency, held, user_id) AS problem
      FROM payment_taken_back WHERE held > claimed
    `
  }
]

/** The debits that belong to no reversal and no share. */
const debits = (sql: SqlClient.SqlClient): Check => ({
  section,
  remedy: byHand,
  rows: sql`
    SELECT 'entry ' || t.id AS subject,
      format('takes %s %s (%s) that belongs to no reversal', -t.amount, t.currency, t.reference) AS problem
    FROM wallet_transaction t
    WHERE t.transaction_type = 'withdrawal' AND t.cause IS NULL AND NOT EXISTS (
      SELECT FROM payment_reversal r
      WHERE r.debit_id = t.id AND (r.user_id, r.currency, -r.debited) = (t.user_id, t.currency, t.amount)
    ) AND NOT EXISTS (
      SELECT FROM payment_reversal_debit d
      WHERE d.debit_id = t.id AND (d.user_id, d.currency, -d.amount) = (t.user_id, t.currency, t.amount)
    ) AND NOT EXISTS (
      SELECT FROM referral_share s
      WHERE s.return_id = t.id AND (s.referrer_id, s.currency, -s.returned) = (t.user_id, t.currency, t.amount)
    )
  `
})

/**
 * Each reversal has its ledger entry and stopped the purchases of its account. The referrer's share is taken back exactly when
 * its charge is.
 */
const reversals = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  debits(sql),
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT format('%s %s of %s', r.kind, r.reversal_id, r.payment_method) AS subject, CASE
          WHEN d.id IS NULL AND r.debited > 0 THEN format('debited %s %s, and entry %s is missing', r.debited, r.currency, r.debit_id)
          ELSE format('took %s %s of charge %s back, more than its %s', r.amount, r.currency, r.charge_id, c.amount)
        END AS problem
      FROM payment_reversal r
      LEFT JOIN payment_charge c USING (payment_method, charge_id)
      LEFT JOIN wallet_transaction d ON d.id = r.debit_id
      WHERE (d.id IS NULL) <> (r.debited = 0) OR r.amount > coalesce(c.amount, 0)
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'referral share of charge ' || s.charge_id AS subject,
        format('is %s, and the charge was taken back by a %s', s.status,
          payment_taken_back_by(payment_method, charge_id)) AS problem
      FROM referral_share s
      WHERE s.status IN ('held', 'credited') AND payment_taken_back_by(payment_method, charge_id) IS NOT NULL
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'referral share of charge ' || s.charge_id AS subject,
        'is taken back, and nothing takes the charge back' AS problem
      FROM referral_share s
      WHERE s.status = 'taken_back' AND (s.transaction_id IS NULL OR s.returned > 0)
        AND payment_taken_back_by(payment_method, charge_id) IS NULL
        AND NOT EXISTS (
          SELECT FROM referral_share n
          WHERE (n.payment_method, n.charge_id, n.round) = (s.payment_method, s.charge_id, s.round + 1)
        )
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'wallet ' || w.id AS subject, format('its purchases are %s, and by the reversals on record they are %s',
        CASE WHEN w.purchases_stopped THEN 'stopped' ELSE 'free' END,
        CASE WHEN w.purchases_stopped THEN 'free' ELSE 'stopped' END) AS problem
      FROM wallet w WHERE w.purchases_stopped <> EXISTS (
        SELECT FROM payment_reversal r WHERE r.user_id = w.user_id AND r.lifted_at IS NULL AND r.status <> 'returned'
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
        i.transaction_id, coalesce(t.status, 'missing'), coalesce(c.charge_id, 'none')) AS problem
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
    remedy: Remedies.waitForJob,
    rows: sql`
      SELECT 'payment ' || id AS subject, format('is pending, and expired at %s', expires_at) AS problem
      FROM payment_intent
      WHERE status = 'pending' AND expires_at < ${DateTime.toDate(DateTime.subtract(now, patience))}
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'order ' || o.id AS subject, format('waits for payment %s, which is %s', coalesce(o.payment_intent_id::text,
        'none'), coalesce(i.status, 'missing')) AS problem
      FROM proxy_order o LEFT JOIN payment_intent i ON i.id = o.payment_intent_id
      WHERE o.status = 'waiting_payment' AND i.status IS DISTINCT FROM 'pending'
    `
  }
]

/** Each automatic top-up charged its card once, and each wallet knows the threshold of its account. */
const automatic = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: "refund all but one of its charges at the gateway",
    rows: sql`
      SELECT 'payment ' || i.id AS subject, format('is an automatic top-up that charged its card %s times: %s', count(*),
        string_agg(c.charge_id, ', ' ORDER BY c.charge_id)) AS problem
      FROM payment_intent i JOIN payment_charge c ON c.payment_intent_id = i.id
      WHERE i.card_id IS NOT NULL GROUP BY i.id HAVING count(*) > 1
    `
  },
  {
    section,
    remedy: byHand,
    rows: sql`
      SELECT 'wallet ' || w.id AS subject, format('is topped up below %s, and its account chose %s',
        coalesce(w.top_up_below::text, 'nothing'), coalesce(s.threshold::text, 'nothing')) AS problem
      FROM wallet w LEFT JOIN auto_top_up s ON s.user_id = w.user_id AND s.is_on AND w.currency = 'USD'
      WHERE w.top_up_below IS DISTINCT FROM s.threshold
    `
  }
]

const counted = (sql: SqlClient.SqlClient) => sql`
  SELECT format('%s payments, %s charges, %s reversals, %s documents', count(*), (SELECT count(*) FROM payment_charge),
    (SELECT count(*) FROM payment_reversal), (SELECT count(*) FROM invoice)) AS what FROM payment_intent
`

/** Compares payments with the ledger: each is credited exactly once, with the amount that came in. */
export const make = (sql: SqlClient.SqlClient, now: DateTime.Utc) => ({
  section,
  checks: [
    ...credits(sql),
    ...takenBack(sql),
    ...reversals(sql),
    ...PaidBackChecks.make(sql, now),
    ...DocumentChecks.make(sql, now),
    ...intents(sql, now),
    ...automatic(sql)
  ],
  counted: counted(sql)
})
