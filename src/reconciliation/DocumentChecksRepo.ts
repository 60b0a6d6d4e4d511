import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import * as Remedies from "./Remedies.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "payments" as const

/** The job issues documents within minutes. */
const patience = { hours: 1 }

const changedByHand =
  "the database refuses to write this, so look for a partial restore or a change by hand; restore the rows from a backup, and tell your accountant"
const missing = `${Remedies.waitForJob}; with TAX on, TAX_COUNTRY needs a rate (docs/invoices.md)`

/** The numbers of each series have no gap and no double, and the counter is at the last one. */
const numbers = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'document ' || number AS subject, format('is number %s of its series; the one before is number %s', position,
        last) AS problem
      FROM (
        SELECT number, position, coalesce(lag(position) OVER (
          PARTITION BY kind, is_sandbox, year ORDER BY position
        ), 0) AS last FROM invoice
      ) numbered WHERE position <> last + 1
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT format('series of %s%s %s', CASE WHEN is_sandbox THEN 'sandbox ' ELSE '' END, kind, year) AS subject,
        format('counts %s, and its last document is number %s', coalesce(c.last_position, 0), coalesce(i.last, 0)) AS problem
      FROM invoice_counter c FULL JOIN (
        SELECT kind, is_sandbox, year, max(position) AS last FROM invoice GROUP BY 1, 2, 3
      ) i USING (kind, is_sandbox, year)
      WHERE c.last_position IS DISTINCT FROM i.last
    `
  }
]

/** The body of each document is what was written, and its amounts add up. */
const contents = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'document ' || number AS subject, 'its body differs from its hash or from its row' AS problem
      FROM invoice i WHERE sha256 <> invoice_hash(body) OR body <> invoice_body(i)
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'document ' || i.number AS subject, format('is %s %s: %s net and %s tax; its lines are %s', i.total, i.currency,
        i.net, i.tax, coalesce(l.sum, 0)) AS problem
      FROM invoice i CROSS JOIN LATERAL (
        SELECT sum((line->>'amount')::bigint) AS sum FROM jsonb_array_elements(i.body->'lines') line
      ) l
      WHERE i.net + i.tax <> i.total OR l.sum IS DISTINCT FROM i.total
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'document ' || number AS subject, format('is %s %s with %s tax; its rate of %s basis points gives %s', total,
        currency, tax, rate, expected) AS problem
      FROM (
        SELECT i.*, rate, div(2 * i.total * rate + whole, 2 * whole) * step AS expected
        FROM invoice i
        CROSS JOIN LATERAL (SELECT (i.body->'tax'->>'rate_bp')::numeric AS rate) r
        CROSS JOIN LATERAL (SELECT CASE i.currency WHEN 'USD' THEN 10000 ELSE 1 END AS step) s
        CROSS JOIN LATERAL (SELECT (10000 + rate) * step AS whole) w
        WHERE i.kind = 'invoice'
      ) taxed WHERE tax <> expected
    `
  },
  {
    section,
    remedy: changedByHand,
    rows: sql`
      SELECT 'document ' || i.number AS subject, format('is %s%s %s for account %s; its payment is %s',
        CASE WHEN i.is_sandbox THEN 'sandbox ' ELSE '' END, i.total, i.currency, i.user_id,
        CASE WHEN c.transaction_id IS NULL THEN 'missing' ELSE format('%s%s %s of account %s',
          CASE WHEN c.is_sandbox THEN 'sandbox ' ELSE '' END, c.amount, c.currency, c.user_id) END) AS problem
      FROM invoice i LEFT JOIN payment_charge c USING (transaction_id)
      WHERE (i.user_id, i.currency, i.is_sandbox) IS DISTINCT FROM (c.user_id, c.currency, c.is_sandbox)
        OR (i.kind = 'invoice' AND i.total IS DISTINCT FROM c.amount)
    `
  }
]

/** Each payment has one invoice that stands, and credit notes over what went back of it. */
const completeness = (sql: SqlClient.SqlClient, now: DateTime.Utc): ReadonlyArray<Check> => {
  const late = DateTime.toDate(DateTime.subtract(now, patience))
  return [
    {
      section,
      remedy: missing,
      rows: sql`
        SELECT format('charge %s of %s', c.charge_id, c.payment_method) AS subject,
          format('came in at %s and has no document', c.created_at) AS problem
        FROM payment_charge c
        WHERE c.created_at < ${late} AND NOT EXISTS (
          SELECT FROM invoice i WHERE i.transaction_id = c.transaction_id AND i.kind = 'invoice'
        )
      `
    },
    {
      section,
      remedy: missing,
      rows: sql`
        SELECT 'document ' || i.number AS subject, format('has credit notes over %s %s, and %s went back', n.credited,
          i.currency, invoice_returned(i.transaction_id)) AS problem
        FROM invoice i JOIN payment_charge c USING (transaction_id) CROSS JOIN LATERAL (
          SELECT coalesce(sum(total), 0)::bigint AS credited FROM invoice
          WHERE corrects = i.number AND kind = 'credit_note'
        ) n
        WHERE i.kind = 'invoice' AND i.issued_at < ${late}
          AND NOT EXISTS (SELECT FROM invoice r WHERE r.corrects = i.number AND r.kind = 'invoice')
          AND (n.credited > 0 OR EXISTS (
            SELECT FROM payment_claim k WHERE (k.payment_method, k.charge_id) = (c.payment_method, c.charge_id)
          ))
          AND n.credited <> invoice_returned(i.transaction_id)
          AND NOT EXISTS (
            SELECT FROM payment_reversal r
            WHERE (r.payment_method, r.charge_id) = (c.payment_method, c.charge_id) AND r.updated_at >= ${late}
          )
          AND NOT EXISTS (
            SELECT FROM gateway_refund g
            WHERE (g.payment_method, g.charge_id) = (c.payment_method, c.charge_id) AND g.updated_at >= ${late}
          )
      `
    }
  ]
}

/** Compares invoices and credit notes with each other and with the payments. */
export const make = (sql: SqlClient.SqlClient, now: DateTime.Utc): ReadonlyArray<Check> => [
  ...numbers(sql),
  ...contents(sql),
  ...completeness(sql, now)
]
