import { DateTime } from "effect"
import type { SqlClient } from "effect/sql"
import type { Moments } from "./OrderChecksRepo.ts"
import * as Remedies from "./Remedies.ts"
import type { Check } from "./SnapshotRepo.ts"

const section = "orders" as const

/** The time that jobs and deliveries may take to follow a restriction. */
const slack = { minutes: 10 }

const byRows = "the rows of account_restriction decide; set the flag as they say"

const flag = (column: string) => `CASE WHEN ${column} THEN 'blocked' ELSE 'free' END`

/** The flags that follow from the open restrictions of an account. */
const flags = (sql: SqlClient.SqlClient): ReadonlyArray<Check> => [
  ...(["access", "service"] as const).map((what) => {
    const held = sql.literal(`a.${what}_blocked`)
    const wanted = sql`EXISTS (
      SELECT FROM account_restriction r
      WHERE r.user_id = a.id AND r.lifted_at IS NULL AND ${sql.literal(`r.blocks_${what}`)}
    )`
    return {
      section,
      remedy: byRows,
      rows: sql`
        SELECT 'account ' || a.id AS subject, format('its ${sql.literal(what)} is %s, and by its restrictions it is %s',
          ${sql.literal(flag(`a.${what}_blocked`))}, ${sql.literal(flag(`NOT a.${what}_blocked`))}) AS problem
        FROM user_account a WHERE ${held} <> ${wanted}
      `
    }
  }),
  {
    section,
    remedy: byRows,
    rows: sql`
      SELECT 'wallet ' || w.id AS subject, format('its spending is %s, and by the restrictions of its account it is %s',
        ${sql.literal(flag("w.spending_blocked"))}, ${sql.literal(flag("NOT w.spending_blocked"))}) AS problem
      FROM wallet w WHERE w.spending_blocked <> EXISTS (
        SELECT FROM account_restriction r WHERE r.user_id = w.user_id AND r.lifted_at IS NULL AND r.blocks_spending
      )
    `
  }
]

/** The proxies that a restriction stops, at the built-in gateway and at vendors. */
const proxies = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => {
  const at = DateTime.toDate(now)
  const late = DateTime.toDate(DateTime.subtract(now, slack))
  return [
    {
      section,
      remedy: "it may still work: suspend it (SELECT account_service_stop(account, now()))",
      rows: sql`
        SELECT 'gateway proxy ' || g.id AS subject, format('serves clients, and account %s is suspended', a.id) AS problem
        FROM user_account a JOIN proxy_order o ON o.user_id = a.id JOIN gateway_proxy g ON g.reference = o.id
        WHERE a.service_blocked AND g.status = 'open' AND g.expires_at > ${at} AND g.suspended_at IS NULL
          AND o.status <> 'paid' AND NOT EXISTS (SELECT FROM restriction_round r WHERE r.user_id = a.id)
      `
    },
    {
      section,
      remedy: "its customer pays for it: let it run (SELECT account_service_return(account, now()))",
      rows: sql`
        SELECT 'gateway proxy ' || g.id AS subject, format('is suspended since %s, and account %s is free', g.suspended_at,
          a.id) AS problem
        FROM gateway_proxy g JOIN proxy_order o ON o.id = g.reference JOIN user_account a ON a.id = o.user_id
        WHERE g.status = 'open' AND g.suspended_at IS NOT NULL AND g.expires_at > ${at} AND NOT a.service_blocked
      `
    },
    {
      section,
      remedy: "it may still work: stop it at its provider by hand, or switch the provider on",
      rows: sql`
        SELECT 'order ' || o.id AS subject, format('its proxy at %s is not stopped (%s), and account %s is suspended',
          o.provider, coalesce(s.detail, 'nobody tried'), a.id) AS problem
        FROM user_account a JOIN proxy_order o ON o.user_id = a.id LEFT JOIN proxy_stop s ON s.order_id = o.id
        WHERE a.service_blocked AND o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${at}
          AND o.updated_at < ${late} AND NOT EXISTS (SELECT FROM gateway_proxy g WHERE g.reference = o.id)
          AND (s.order_id IS NULL OR s.task <> 'stop' OR (s.stopped_at IS NULL AND s.created_at < ${late}))
      `
    },
    {
      section,
      remedy: "give the proxy its login at the provider by hand, or switch the provider on",
      rows: sql`
        SELECT 'order ' || o.id AS subject, format('its proxy at %s still has a secret login (%s), and account %s is free',
          o.provider, coalesce(s.detail, 'nobody tried'), a.id) AS problem
        FROM proxy_stop s JOIN proxy_order o ON o.id = s.order_id JOIN user_account a ON a.id = o.user_id
        WHERE NOT a.service_blocked AND o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${at}
          AND (s.task = 'stop' OR s.updated_at < ${late})
      `
    },
    {
      section,
      remedy: Remedies.waitForJob,
      rows: sql`
        SELECT 'account ' || user_id AS subject, format('its restriction should have ended at %s', until_at) AS problem
        FROM account_restriction WHERE lifted_at IS NULL AND until_at < ${late}
      `
    }
  ]
}

/** A restriction by a dispute ends with it. */
const disputes = (sql: SqlClient.SqlClient, { now }: Moments): ReadonlyArray<Check> => [
  {
    section,
    remedy: Remedies.waitForJob,
    rows: sql`
      SELECT 'account ' || r.user_id AS subject, format('is restricted, and its dispute %s is over', r.reversal_id) AS problem
      FROM payment_reversal r JOIN account_restriction a ON a.id = r.restriction_id
      WHERE a.lifted_at IS NULL AND (r.status = 'returned' OR r.lifted_at IS NOT NULL)
        AND coalesce(r.lifted_at, r.updated_at) < ${DateTime.toDate(DateTime.subtract(now, slack))}
    `
  }
]

/** Compares the restrictions of accounts with their flags and their proxies. */
export const make = (sql: SqlClient.SqlClient, moments: Moments): ReadonlyArray<Check> => [
  ...flags(sql),
  ...proxies(sql, moments),
  ...disputes(sql, moments)
]
