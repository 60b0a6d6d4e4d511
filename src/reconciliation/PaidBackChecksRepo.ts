import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import * as Remedies from "./Remedies.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "payments" as const

/** The job asks within minutes. */
const patience = { minutes: 30 }

const byHand = "compare it with the gateway's own record, then settle it with the customer"

/**
 * Each refund at a gateway has left its wallet, and has an outcome in time. One that failed gives back what no other claims
 * (PaymentChecks compares the claims). A charge goes back once.
 */
export const make = (sql: SqlClient.SqlClient, now: DateTime.Utc): ReadonlyArray<Check> => {
  const late = DateTime.toDate(DateTime.subtract(now, patience))
  return [
    {
      section,
      remedy: byHand,
      rows: sql`
        SELECT 'gateway refund ' || g.id AS subject, format('of charge %s is %s and pays %s %s back; it took %s from the '
          'wallet and returned %s', g.charge_id, g.status, g.amount, g.currency, coalesce(-w.amount, 0), coalesce(b.amount, 0))
          AS problem
        FROM gateway_refund g
        LEFT JOIN wallet_transaction w ON w.id = g.withdrawal_id AND w.user_id = g.user_id AND w.cause = 'gateway_refund'
        LEFT JOIN wallet_transaction b ON b.id = g.return_id AND b.user_id = g.user_id AND b.cause = 'payout_returned'
        WHERE coalesce(-w.amount, 0) <> g.amount
          OR coalesce(b.amount, 0) <> g.given_back
      `
    },
    {
      section,
      remedy: byHand,
      rows: sql`
        SELECT format('charge %s of %s', c.charge_id, c.payment_method) AS subject,
          format('brought %s %s, and %s are paid back', c.amount, c.currency, sum(g.amount)) AS problem
        FROM gateway_refund g JOIN payment_charge c USING (payment_method, charge_id)
        WHERE g.status <> 'failed' GROUP BY c.payment_method, c.charge_id, c.amount, c.currency HAVING sum(g.amount) > c.amount
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'gateway refund ' || id AS subject, format('of charge %s is %s since %s', charge_id, status, updated_at) AS problem
        FROM gateway_refund WHERE status IN ('booked', 'sent', 'unknown') AND created_at < ${late} AND updated_at < ${late}
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'refund ' || id AS subject, format('of order %s was to end its proxy at %s', order_id, decided_at) AS problem
        FROM order_refund WHERE release_at IS NOT NULL AND decided_at < ${late}
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT what || id AS subject, format('is requested, and expired at %s', expires_at) AS problem FROM (
          SELECT 'adjustment ' AS what, id, status, expires_at FROM wallet_adjustment
          UNION ALL SELECT 'refund ', id, status, expires_at FROM order_refund
        ) request
        WHERE status = 'requested' AND expires_at < ${late}
      `
    }
  ]
}
