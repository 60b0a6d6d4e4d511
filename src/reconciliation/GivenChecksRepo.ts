import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import type { Moments } from "./OrderChecksRepo.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "orders" as const

/** The tolerance for clocks that differ. */
const slack = "interval '10 minutes'"

/** The log of exit addresses keeps at least this time. */
const remembered = { days: 20 }

/** Compares what staff gave at no charge with the audit log, and replaced proxies with the addresses that they had. */
export const make = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => [
  {
    section,
    remedy: "nobody is on record for it; find out who changed the database, and take the time back or let it be",
    rows: sql`
      SELECT 'change ' || c.id || ' of order ' || c.order_id AS subject,
        format('gives %s days at no charge (%s, by %s); the audit log does not know it', c.period_days, c.kind, c.given_by)
        AS problem
      FROM proxy_change c WHERE c.origin = 'staff' AND NOT EXISTS (
        SELECT FROM audit_event e WHERE e.subject_id = c.order_id::text AND e.subject_kind = 'order'
          AND e.action = 'order.work' AND e.outcome = 'done' AND e.after ->> 'reference' = c.id::text
      )
    `
  },
  {
    section,
    remedy: "the customer was told about another address and still has the old one; replace the proxy again",
    rows: sql`
      SELECT 'change ' || c.id || ' of order ' || c.order_id AS subject,
        format('replaced the proxy %s at %s; its address did not change then', o.provider_proxy_id, c.updated_at) AS problem
      FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
      WHERE c.kind = 'replace' AND c.status = 'applied' AND o.provider = 'gateway'
        AND c.updated_at > ${DateTime.toDate(DateTime.subtract(now, remembered))}
        AND NOT EXISTS (
          SELECT FROM gateway_exit_hold h JOIN gateway_exit_hold b ON b.proxy_id = h.proxy_id AND b.until_at = h.from_at
            AND b.exit_ip IS DISTINCT FROM h.exit_ip
          WHERE h.proxy_id::text = o.provider_proxy_id
            AND h.from_at BETWEEN c.attempted_at - ${sql.literal(slack)} AND c.updated_at + ${sql.literal(slack)}
        )
    `
  },
  {
    section,
    remedy: "nobody is on record for it; find out who changed gateway_proxy, and tell the customer",
    rows: sql`
      SELECT 'gateway proxy ' || g.id AS subject, format('of order %s moved from %s to %s at %s, and no change says so',
        g.reference, coalesce(host(b.exit_ip), 'the machine'), coalesce(host(h.exit_ip), 'the machine'), h.from_at) AS problem
      FROM gateway_exit_hold h JOIN gateway_exit_hold b ON b.proxy_id = h.proxy_id AND b.until_at = h.from_at
        AND b.exit_ip IS DISTINCT FROM h.exit_ip
      JOIN gateway_proxy g ON g.id = h.proxy_id
      WHERE g.kind <> 'mobile' AND g.status = 'open' AND h.until_at IS NULL AND NOT EXISTS (
        SELECT FROM proxy_change c WHERE c.order_id = g.reference AND c.kind = 'replace' AND c.attempted_at IS NOT NULL
          AND h.from_at >= c.attempted_at - ${sql.literal(slack)}
          AND (c.status = 'pending' OR h.from_at <= c.updated_at + ${sql.literal(slack)})
      )
    `
  }
]
