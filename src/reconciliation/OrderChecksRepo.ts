import { DateTime, type Duration } from "effect"
import type { SqlClient } from "effect/sql"
import type { Check } from "./SnapshotRepo.ts"

const section = "orders" as const

/** Clocks differ by so much at most, and jobs that move things on are never so late. */
const slack = { minutes: 10 }

/** The orders of a deleted account may take this long to end. */
const closing = { hours: 1 }

const stuck = "the service's jobs finish this: see that one runs, and what its log says of this id"

/** Moments that what is still under way is told by. */
export interface Moments {
  readonly now: DateTime.Utc
  /** Orders that were paid before have been provisioned or refunded. */
  readonly provisionedSince: DateTime.Utc
}

/** How long an order may stay paid: asked for until `deadline`, and then waited for. */
export const momentsAt = (now: DateTime.Utc, deadline: Duration.Duration, delivery: Duration.Duration): Moments => ({
  now,
  provisionedSince: DateTime.subtract(
    DateTime.subtractDuration(DateTime.subtractDuration(now, deadline), delivery),
    slack
  )
})

const passing = (sql: SqlClient.SqlClient, { now, provisionedSince }: Moments): ReadonlyArray<Check> => {
  const late = DateTime.toDate(DateTime.subtract(now, slack))
  return [
    {
      section,
      remedy: stuck,
      rows: sql`
        SELECT 'order ' || id AS subject, format('is %s (proxy %s) since %s', status, proxy_status, updated_at) AS problem
        FROM proxy_order o
        WHERE (status = 'new' AND updated_at < ${late}) OR status = 'provisioning_failed'
          OR (status = 'paid' AND updated_at < ${DateTime.toDate(provisionedSince)})
      `
    },
    {
      section,
      remedy: stuck,
      rows: sql`
        SELECT 'order ' || id AS subject, format('its proxy is %s, is to expire from %s and ends at %s', proxy_status,
          expiring_at, expires_at) AS problem
        FROM proxy_order o
        WHERE (proxy_status = 'active' AND expiring_at < ${late})
          OR (proxy_status = 'expiring' AND expires_at < ${late}
            AND NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'pending'))
      `
    },
    {
      section,
      remedy: stuck,
      rows: sql`
        SELECT 'change ' || id || ' of order ' || order_id AS subject, format('is pending since %s', created_at) AS problem
        FROM proxy_change WHERE status = 'pending' AND created_at < ${DateTime.toDate(provisionedSince)}
      `
    },
    {
      section,
      remedy: stuck,
      rows: sql`
        SELECT 'IP check ' || id AS subject, format('is pending since %s', created_at) AS problem
        FROM ip_check WHERE status = 'pending' AND settle_at < ${late}
      `
    },
    {
      section,
      remedy:
        "see what the log says of orders of a deleted account, and whether their provider is away or switched off",
      rows: sql`
        SELECT 'account ' || a.id AS subject, format('was deleted at %s, and %s of its orders have not ended',
          a.deleted_at, (SELECT count(*) FROM proxy_order o WHERE o.user_id = a.id
            AND o.status IN ('new', 'waiting_payment', 'paid', 'provisioned'))) AS problem
        FROM account_closure c JOIN user_account a ON a.id = c.user_id
        WHERE a.deleted_at < ${DateTime.toDate(DateTime.subtract(now, closing))}
      `
    }
  ]
}

/** The built-in gateway keeps its proxies in the same database, so both sides are seen at one moment. */
const gateway = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => {
  const at = DateTime.toDate(now)
  const late = DateTime.toDate(DateTime.subtract(now, slack))
  const soon = DateTime.toDate(DateTime.add(now, slack))
  return [
    {
      section,
      remedy:
        "the service ends the order within two hours, unrefunded; to refund it or to replace the proxy is yours to decide",
      rows: sql`
        SELECT 'order ' || o.id AS subject, CASE
            WHEN g.id IS NULL THEN format('its proxy %s is unknown to the gateway', o.provider_proxy_id)
            ELSE format('lives until %s, and its proxy %s at the gateway is %s and ends at %s', o.expires_at, g.id,
              g.status, g.expires_at)
          END AS problem
        FROM proxy_order o LEFT JOIN gateway_proxy g ON g.id::text = o.provider_proxy_id
        WHERE o.provider = 'gateway' AND ${settledAndLive(sql, at, soon)}
          AND (g.id IS NULL OR g.status <> 'open' OR g.expires_at <= ${at})
      `
    },
    {
      section,
      remedy:
        "nobody pays for it: close it (UPDATE gateway_proxy SET status = 'closed', updated_at = now() WHERE id = ...)",
      rows: sql`
        SELECT 'gateway proxy ' || g.id AS subject, format('runs until %s for order %s, which %s', g.expires_at,
          g.reference, CASE WHEN o.id IS NULL THEN 'does not exist'
            ELSE format('is %s and has proxy %s', o.status, coalesce(o.provider_proxy_id, 'none')) END) AS problem
        FROM gateway_proxy g LEFT JOIN proxy_order o ON o.id = g.reference
        WHERE g.status = 'open' AND g.expires_at > ${soon} AND (o.id IS NULL OR NOT (
          o.status = 'paid' OR o.updated_at > ${late}
          OR (o.proxy_status IN ('active', 'expiring') AND o.provider_proxy_id = g.id::text)
          OR ${beingReleased(sql, late)}
        ))
      `
    }
  ]
}

/** Orders `o` whose proxy is to run for a while, and which nothing is being done to. */
export const settledAndLive = (sql: SqlClient.SqlClient, now: Date, soon: Date) => sql`
  o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${soon}
  AND (o.operation_until IS NULL OR o.operation_until <= ${now})
  AND NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'pending')
`

/** Whether what turned up for a given-up order `o` is still being looked for, to be released. */
export const beingReleased = (sql: SqlClient.SqlClient, late: Date) => sql`
  EXISTS (SELECT FROM provisioning_attempt a WHERE a.order_id = o.id AND a.outcome = 'abandoned' AND a.look_at > ${late})
`

const counted = (sql: SqlClient.SqlClient) => sql`
  SELECT format('%s orders, %s of them live, %s open proxies at the gateway', count(*),
    count(*) FILTER (WHERE proxy_status IN ('active', 'expiring')),
    (SELECT count(*) FROM gateway_proxy WHERE status = 'open')) AS what
  FROM proxy_order
`

/** What orders, and what was bought for them, have to have come to by now; orders against the built-in gateway's proxies. */
export const make = (sql: SqlClient.SqlClient, moments: Moments) => ({
  section,
  checks: [...passing(sql, moments), ...gateway(sql, moments)],
  counted: counted(sql)
})
