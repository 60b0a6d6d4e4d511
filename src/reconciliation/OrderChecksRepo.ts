import { DateTime, type Duration } from "effect"
import type { SqlClient } from "effect/sql"
import * as Remedies from "./Remedies.ts"
import * as GivenChecks from "./GivenChecksRepo.ts"
import * as RestrictionChecks from "./RestrictionChecksRepo.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "orders" as const

/** The tolerance for clocks that differ and for jobs that are late. */
const slack = { minutes: 10 }

/** The time that the orders of a deleted account may take to end. */
const closing = { hours: 1 }

/** The moments that tell work in progress from work that is late. */
export interface Moments {
  readonly now: DateTime.Utc
  /** An order that was paid before this moment is provisioned or refunded. */
  readonly provisionedSince: DateTime.Utc
}

/** An order may stay paid for `deadline`, while the service calls the provider, and for `delivery` after that. */
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
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'order ' || id AS subject, format('is %s (proxy %s) since %s', status, proxy_status, updated_at) AS problem
        FROM proxy_order o
        WHERE (status = 'new' AND updated_at < ${late}) OR status = 'provisioning_failed'
          OR (status = 'paid' AND updated_at < ${DateTime.toDate(provisionedSince)})
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'order ' || order_id AS subject, format('was to be released at %s', created_at) AS problem
        FROM order_release WHERE created_at < ${late}
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'order ' || id AS subject, format('its proxy is %s, is due to expire since %s and ends at %s', proxy_status,
          expiring_at, expires_at) AS problem
        FROM proxy_order o
        WHERE (proxy_status = 'active' AND expiring_at < ${late})
          OR (proxy_status = 'expiring' AND expires_at < ${late}
            AND NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'pending'))
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'change ' || id || ' of order ' || order_id AS subject, format('is pending since %s', created_at) AS problem
        FROM proxy_change WHERE status = 'pending' AND created_at < ${DateTime.toDate(provisionedSince)}
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'IP check ' || id AS subject, format('is pending since %s', created_at) AS problem
        FROM ip_check WHERE status = 'pending' AND settle_at < ${late}
      `
    },
    {
      section,
      remedy:
        "search the log for orders of a deleted account, and check that their provider answers and is switched on",
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

/** The built-in gateway keeps its proxies in the same database, so one snapshot shows both sides. */
const gateway = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => {
  const at = DateTime.toDate(now)
  const late = DateTime.toDate(DateTime.subtract(now, slack))
  const soon = DateTime.toDate(DateTime.add(now, slack))
  return [
    {
      section,
      remedy: `${Remedies.endsUnrefunded}; you decide to refund the customer or to replace the proxy`,
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
        "no customer pays for it; close it (UPDATE gateway_proxy SET status = 'closed', updated_at = now() WHERE id = ...)",
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

/** The built-in gateway's proxies as they were ordered, and as the shop sold them. */
const sold = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => {
  const at = DateTime.toDate(now)
  const soon = DateTime.toDate(DateTime.add(now, slack))
  return [
    {
      section,
      remedy: "the customer has another proxy than the ordered one; you decide to refund the customer or to replace it",
      rows: sql`
        SELECT 'order ' || o.id AS subject, format('is for %s %s %s (%s) with %s GB; its proxy %s is %s %s %s (%s) with %s GB',
          o.proxy_type, o.ip_version, o.country, o.external_id, coalesce(o.bandwidth_gb::text, 'unlimited'), g.id, g.kind,
          g.ip_version, g.country_code, coalesce(g.article, 'no article'), coalesce((g.limit_bytes / 1e9)::float8::text,
          'unlimited')) AS problem
        FROM proxy_order o JOIN gateway_proxy g ON g.id::text = o.provider_proxy_id
        WHERE o.provider = 'gateway' AND ${settledAndLive(sql, at, soon)} AND g.status = 'open' AND (
          (o.proxy_type, o.ip_version, o.country) <> (g.kind, g.ip_version, g.country_code) OR g.article <> o.external_id
          OR g.limit_bytes IS DISTINCT FROM round(o.bandwidth_gb::numeric * 1000000000)::bigint
        )
      `
    },
    {
      section,
      // Constraints guard the exit address, but not that kind, country and IP version are those of article and pool.
      remedy: "it is not what its article sells; you decide to refund its customer or to replace the proxy",
      rows: sql`
        SELECT 'gateway proxy ' || g.id AS subject, format('is %s %s %s from %s, which is of the pool %s; article %s is %s %s %s, and its pool %s is %s %s', g.kind, g.ip_version, g.country_code, coalesce(host(g.exit_ip), 'the machine'),
          coalesce(e.pool, 'none'), g.article, a.kind, a.ip_version, a.country_code, g.pool, p.kind, p.country_code) AS problem
        FROM gateway_proxy g LEFT JOIN gateway_article a ON a.id = g.article LEFT JOIN exit_pool p ON p.name = g.pool
        LEFT JOIN exit_address e ON e.ip = g.exit_ip
        WHERE g.status = 'open' AND g.pool IS NOT NULL AND (
          (g.kind, g.ip_version, g.country_code) IS DISTINCT FROM (a.kind, a.ip_version, a.country_code)
          OR (g.kind, g.country_code) IS DISTINCT FROM (p.kind, p.country_code)
          OR g.exit_ip IS NOT NULL AND e.pool IS DISTINCT FROM g.pool
        )
      `
    }
  ]
}

/** The record of who held an exit address, which complaints are answered from (docs/abuse.md). */
const holds = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: "a complaint about this address cannot be answered; find who changed gateway_exit_hold or its triggers",
    rows: sql`
      SELECT 'gateway proxy ' || g.id AS subject, format('is open on %s; by the record it holds %s',
        coalesce(host(g.exit_ip), 'the machine''s address'),
        CASE WHEN h.proxy_id IS NULL THEN 'no address' ELSE coalesce(host(h.exit_ip), 'the machine''s address') END) AS problem
      FROM gateway_proxy g LEFT JOIN gateway_exit_hold h ON h.proxy_id = g.id AND h.until_at IS NULL
      WHERE g.status = 'open' AND (h.proxy_id IS NULL OR h.exit_ip IS DISTINCT FROM g.exit_ip OR h.port <> g.port)
    `
  },
  {
    section,
    remedy: "a complaint about this address may reach the wrong customer; find who changed gateway_exit_hold",
    // The clocks of two machines may differ.
    rows: sql`
      SELECT 'exit address ' || host(a.exit_ip) AS subject, format('proxies %s and %s held it alone, both from %s to %s',
        a.proxy_id, b.proxy_id, greatest(a.from_at, b.from_at), coalesce(least(a.until_at, b.until_at)::text, 'now')) AS problem
      FROM gateway_exit_hold a JOIN gateway_exit_hold b ON b.exit_ip = a.exit_ip AND b.proxy_id > a.proxy_id
        AND least(coalesce(a.until_at, 'infinity'), coalesce(b.until_at, 'infinity'))
          > greatest(a.from_at, b.from_at) + interval '10 minutes'
      JOIN gateway_proxy p ON p.id = a.proxy_id AND p.kind <> 'mobile'
      JOIN gateway_proxy q ON q.id = b.proxy_id AND q.kind <> 'mobile'
    `
  }
]

/** The flag of each offer follows from the open pauses of sales. */
const pauses = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  {
    section,
    remedy: "the rows of sales_pause decide; place a pause of the offer and lift it, and the database sets the flag",
    rows: sql`
      SELECT 'offer ' || o.id AS subject, CASE WHEN o.paused THEN 'is paused, and no pause covers it'
        ELSE 'is on sale, and a pause covers it' END AS problem
      FROM offer o WHERE o.paused <> sales_are_paused(o)
    `
  }
]

/** Orders `o` with a running proxy that do not end soon and have no operation in progress. */
export const settledAndLive = (sql: SqlClient.SqlClient, now: Date, soon: Date) => sql`
  o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${soon}
  AND (o.operation_until IS NULL OR o.operation_until <= ${now})
  AND NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'pending')
`

/** True while a job looks for a proxy of the abandoned order `o`, to release it. */
export const beingReleased = (sql: SqlClient.SqlClient, late: Date) => sql`
  EXISTS (SELECT FROM provisioning_attempt a WHERE a.order_id = o.id AND a.outcome = 'abandoned' AND a.look_at > ${late})
`

const counted = (sql: SqlClient.SqlClient) => sql`
  SELECT format('%s orders, %s of them live, %s open proxies at the gateway', count(*),
    count(*) FILTER (WHERE proxy_status IN ('active', 'expiring')),
    (SELECT count(*) FROM gateway_proxy WHERE status = 'open')) AS what
  FROM proxy_order
`

/** Finds orders, proxy changes and IP checks that are late, and compares orders with the built-in gateway's proxies. */
export const make = (sql: SqlClient.SqlClient, moments: Moments) => ({
  section,
  checks: [
    ...passing(sql, moments),
    ...gateway(sql, moments),
    ...sold(sql, moments),
    ...holds(sql),
    ...pauses(sql),
    ...GivenChecks.make(sql, moments),
    ...RestrictionChecks.make(sql, moments)
  ],
  counted: counted(sql)
})
