import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, type OrderId } from "../Order.ts"
import { failuresToFail, type Probe, statusOf, untried, Vantage } from "./Probe.ts"
import { ProxyHealth } from "./ProxyHealth.ts"

/** The tries of one hour from one vantage. The times are sums over the tries that worked. */
export const ProbeHour = Schema.Struct({
  vantage: Vantage,
  hour: Schema.DateTimeUtcFromDate,
  probes: Schema.Int,
  failures: Schema.Int,
  connect_ms: Schema.BigInt,
  first_byte_ms: Schema.BigInt
})
export type ProbeHour = typeof ProbeHour.Type

const counted = Rows.one(Schema.Struct({ count: Schema.Int }))

type Sql = PgClient.PgClient

/** The proxies that are tried in the background, and their turn. */
const targets = (sql: Sql) => {
  const orders = Rows.all(Order)
  return {
    /** Begins to try running proxies: all of `own` providers, and the unlimited ones of `vendors`. At most `limit` at once. */
    adopt: (
      { own, vendors }: { readonly own: ReadonlyArray<string>; readonly vendors: ReadonlyArray<string> },
      {
        now,
        limit,
        spreadSeconds
      }: { readonly now: DateTime.Utc; readonly limit: number; readonly spreadSeconds: number }
    ) =>
      Effect.orDie(sql`
        INSERT INTO proxy_health (order_id, vantage, probe_at)
        SELECT o.id, 'centre', ${DateTime.toDate(now)}::timestamptz + random() * make_interval(secs => ${spreadSeconds}::float8)
        FROM proxy_order o LEFT JOIN proxy_health h ON h.order_id = o.id AND h.vantage = 'centre'
        WHERE o.proxy_status IN ('active', 'expiring') AND h.probe_at IS NULL
          AND (o.provider = ANY (${[...own]}::text[]) OR (o.provider = ANY (${[...vendors]}::text[]) AND o.bandwidth_gb IS NULL))
        LIMIT ${limit}
        ON CONFLICT (order_id, vantage) DO UPDATE SET probe_at = EXCLUDED.probe_at WHERE proxy_health.probe_at IS NULL
      `),

    /** Claims running proxies whose try is due, the longest due first. They are due again at `until`. */
    claim: (now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
      orders(sql`
        WITH due AS (
          UPDATE proxy_health SET probe_at = ${DateTime.toDate(until)} WHERE (order_id, vantage) IN (
            SELECT order_id, vantage FROM proxy_health
            WHERE vantage = 'centre' AND probe_at <= ${DateTime.toDate(now)}
            ORDER BY probe_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING order_id
        )
        SELECT o.* FROM proxy_order o JOIN due ON due.order_id = o.id JOIN user_account a ON a.id = o.user_id
        WHERE o.proxy_status IN ('active', 'expiring') AND o.expires_at > ${DateTime.toDate(now)}
          AND NOT (a.access_blocked OR a.service_blocked)
          AND NOT EXISTS (SELECT FROM proxy_stop s WHERE s.order_id = o.id)
      `),

    /** Puts off all tries that are due. */
    pause: (now: DateTime.Utc, until: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE proxy_health SET probe_at = ${DateTime.toDate(until)}
        WHERE vantage = 'centre' AND probe_at <= ${DateTime.toDate(now)}
      `),

    /** Takes a proxy for a try on demand. False while another try on demand runs. */
    take: (id: OrderId, now: DateTime.Utc, until: DateTime.Utc) =>
      Rows.any(sql`
        INSERT INTO proxy_health (order_id, vantage, checking_until) VALUES (${id}, 'centre', ${DateTime.toDate(until)})
        ON CONFLICT (order_id, vantage) DO UPDATE SET checking_until = EXCLUDED.checking_until
          WHERE proxy_health.checking_until IS NULL OR proxy_health.checking_until <= ${DateTime.toDate(now)}
        RETURNING order_id
      `),
    /** True while the service keeps the proxy from its customer, or means to. */
    isStopped: (id: OrderId) =>
      Rows.any(sql`
        SELECT FROM proxy_order o JOIN user_account a ON a.id = o.user_id
        WHERE o.id = ${id} AND (a.access_blocked OR a.service_blocked
          OR EXISTS (SELECT FROM proxy_stop s WHERE s.order_id = o.id))
      `),
    leave: (id: OrderId) =>
      Effect.orDie(sql`UPDATE proxy_health SET checking_until = NULL WHERE order_id = ${id} AND vantage = 'centre'`)
  }
}

/** The outcomes of tries. */
const outcomes = (sql: Sql) => {
  const all = Rows.all(ProxyHealth)
  const hours = Rows.all(ProbeHour)
  return {
    /** Counts a try with an outcome in its hour, and sets the next one of a proxy that is tried in the background. */
    record: (id: OrderId, probe: Probe, now: DateTime.Utc, next: DateTime.Utc) => {
      const at = DateTime.toDate(now)
      const { connect_ms, error, first_byte_ms, vantage } = probe
      const isOk = statusOf(probe) === "ok"
      const hour = {
        order_id: id,
        vantage,
        hour: DateTime.toDate(DateTime.startOf(now, "hour")),
        probes: 1,
        failures: isOk ? 0 : 1,
        connect_ms: isOk ? (connect_ms ?? 0) : 0,
        first_byte_ms: isOk ? (first_byte_ms ?? 0) : 0
      }
      const health = isOk
        ? { order_id: id, vantage, tried_at: at, worked_at: at, failures: 0 }
        : { order_id: id, vantage, tried_at: at, failures: 1, failing_since: at, error }
      // After a time without tries, a failure is the first in a row.
      const isFirst = sql`coalesce(proxy_health.tried_at < ${DateTime.toDate(DateTime.subtract(now, untried))}, true)`
      const row = sql`CASE WHEN ${isFirst} THEN 1 ELSE proxy_health.failures + 1 END`
      const since = sql`CASE WHEN ${isFirst} THEN ${at}::timestamptz
        ELSE least(coalesce(proxy_health.failing_since, ${at}), ${at}) END`
      const set = isOk
        ? sql`tried_at = ${at}, worked_at = ${at}, failures = 0, failing_since = NULL, error = NULL`
        : sql`tried_at = ${at}, failures = ${row}, error = ${error}, failing_since = ${since},
            failed_at = CASE WHEN ${row} >= ${failuresToFail} THEN ${at}::timestamptz ELSE proxy_health.failed_at END`
      return Effect.orDie(sql`
        WITH counted AS (
          INSERT INTO proxy_probe_hour ${sql.insert(hour)}
          ON CONFLICT (order_id, vantage, hour) DO UPDATE SET probes = proxy_probe_hour.probes + 1,
            failures = proxy_probe_hour.failures + EXCLUDED.failures,
            connect_ms = proxy_probe_hour.connect_ms + EXCLUDED.connect_ms,
            first_byte_ms = proxy_probe_hour.first_byte_ms + EXCLUDED.first_byte_ms
        )
        INSERT INTO proxy_health ${sql.insert(health)}
        ON CONFLICT (order_id, vantage) DO UPDATE SET ${set},
          probe_at = CASE WHEN proxy_health.probe_at IS NOT NULL THEN ${DateTime.toDate(next)}::timestamptz END
      `)
    },

    /** Sets the next try of a proxy that is tried in the background, after a try without an outcome. */
    postpone: (id: OrderId, next: DateTime.Utc) =>
      Effect.orDie(sql`
        UPDATE proxy_health SET probe_at = ${DateTime.toDate(next)}
        WHERE order_id = ${id} AND vantage = 'centre' AND probe_at IS NOT NULL
      `),

    ofOrder: (id: OrderId) => all(sql`SELECT * FROM proxy_health WHERE order_id = ${id} ORDER BY vantage`),

    /** True when the warranty has replaced the proxy, or does so now. */
    isReplaced: (id: OrderId) =>
      Rows.any(sql`
        SELECT FROM proxy_change WHERE order_id = ${id} AND kind = 'replace' AND origin = 'warranty' AND status <> 'refused'
      `),

    /** The hours of an order from a time on, the oldest first. */
    hours: (id: OrderId, since: DateTime.Utc) =>
      hours(sql`
        SELECT * FROM proxy_probe_hour WHERE order_id = ${id} AND hour >= ${DateTime.toDate(since)} ORDER BY hour, vantage
      `)
  }
}

const old = (sql: Sql) => ({
  /** Removes hours that began before a time. Returns their number. */
  removeHours: (before: DateTime.Utc, limit: number) =>
    Effect.map(
      counted(sql`
        WITH gone AS (
          DELETE FROM proxy_probe_hour WHERE (order_id, vantage, hour) IN (
            SELECT order_id, vantage, hour FROM proxy_probe_hour WHERE hour < ${DateTime.toDate(before)}
            ORDER BY hour LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING hour
        ) SELECT count(*)::int AS count FROM gone
      `),
      ({ count }) => count
    ),

  /** Forgets how proxies do that have ended. Returns their number. */
  removeEnded: (limit: number) =>
    Effect.map(
      counted(sql`
        WITH gone AS (
          DELETE FROM proxy_health WHERE (order_id, vantage) IN (
            SELECT h.order_id, h.vantage FROM proxy_health h JOIN proxy_order o ON o.id = h.order_id
            WHERE o.proxy_status NOT IN ('active', 'expiring') LIMIT ${limit} FOR UPDATE OF h SKIP LOCKED
          ) RETURNING order_id
        ) SELECT count(*)::int AS count FROM gone
      `),
      ({ count }) => count
    )
})

export class ProxyHealthRepo extends Context.Service<ProxyHealthRepo>()("app/orders/ProxyHealthRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return { ...targets(sql), ...outcomes(sql), ...old(sql) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
