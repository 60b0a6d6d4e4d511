import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { ReportedInstance } from "./SilenceWatch.ts"
import { leaseBytes, type TrafficLease, type TrafficReport } from "./TrafficMeter.ts"

/** The smallest lease. Near the limit a lease is a quarter of the remaining traffic, so that several gateways can share it. */
const leastLeaseBytes = 256 * 1024

type Sql = PgClient.PgClient

const leaseRows = Rows.all(
  Schema.Struct({
    proxy_id: Schema.String,
    cycle: Schema.Int,
    revision: Schema.Int,
    leased_bytes: Schema.BigInt,
    last: Schema.Boolean
  })
)
const instances = Rows.all(Schema.Struct({ id: Schema.String, report: Schema.Int }))
const instanceIds = Rows.all(Schema.Struct({ id: Schema.String }))
const proxyIds = Rows.all(Schema.Struct({ proxy_id: Schema.String }))
const reportState = Rows.first(Schema.Struct({ report: Schema.Int, settled: Schema.Boolean }))

const register = (sql: Sql) => (id: string) => sql`INSERT INTO gateway_instance (id, report) VALUES (${id}, 0)`

/** Locks proxies in the order of their ids, so that no two transactions wait for each other. */
const lockProxies = (sql: Sql, ids: ReadonlyArray<string>) =>
  sql`SELECT 1 FROM gateway_proxy WHERE id = ANY (${ids}::uuid[]) ORDER BY id FOR UPDATE`

/**
 * Books the reported traffic and renews the leases. The booked bytes reduce a lease; then the lease is filled up again.
 * `free` is the most that this gateway may book or hold, including its own lease. A report of an ended cycle counts by the
 * hour only: its bytes passed under a lease of that cycle, so they do not count against the running one.
 */
const book = (sql: Sql, instance: string, reports: ReadonlyArray<TrafficReport>) =>
  sql`
    WITH report AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(reports)}::jsonb)
        AS r (proxy_id uuid, cycle integer, bytes bigint, hold boolean, hours jsonb)
    ), account AS (
      SELECT p.id, CASE r.cycle WHEN p.cycle THEN r.bytes ELSE 0 END AS bytes, coalesce(l.leased_bytes, 0) AS held,
        r.hold AND r.cycle = p.cycle AND p.status = 'open' AND p.limit_bytes IS NOT NULL AS hold,
        p.limit_bytes - p.used_bytes - p.leased_bytes + coalesce(l.leased_bytes, 0) AS free
      FROM report r
      JOIN gateway_proxy p ON p.id = r.proxy_id
      LEFT JOIN gateway_lease l ON l.proxy_id = p.id AND l.instance_id = ${instance}
    ), booked AS (
      SELECT id, hold, held, least(bytes, free) AS charge, greatest(held - bytes, 0) AS rest,
        free - least(bytes, free) AS left_over
      FROM account
    ), renewed AS (
      SELECT id, held, charge, CASE WHEN NOT hold THEN 0 ELSE greatest(rest,
        least(left_over, ${leaseBytes}::bigint, greatest(left_over / 4, ${leastLeaseBytes}::bigint))) END AS lease
      FROM booked
    ), proxy AS (
      UPDATE gateway_proxy p SET used_bytes = p.used_bytes + r.charge, leased_bytes = p.leased_bytes - r.held + r.lease
      FROM renewed r WHERE r.id = p.id
    ), returned AS (
      DELETE FROM gateway_lease l USING renewed r
      WHERE l.proxy_id = r.id AND l.instance_id = ${instance} AND r.lease = 0
    ), leased AS (
      INSERT INTO gateway_lease (proxy_id, instance_id, leased_bytes)
      SELECT id, ${instance}::uuid, lease FROM renewed WHERE lease > 0
      ON CONFLICT (proxy_id, instance_id) DO UPDATE SET leased_bytes = excluded.leased_bytes
    )
    INSERT INTO gateway_usage (proxy_id, hour, cycle, bytes)
    SELECT p.id, to_timestamp(h.hour_seconds), h.cycle, h.bytes
    FROM report r
    JOIN gateway_proxy p ON p.id = r.proxy_id
    CROSS JOIN jsonb_to_recordset(r.hours) AS h (hour_seconds bigint, cycle integer, bytes bigint)
    ON CONFLICT (proxy_id, hour, cycle) DO UPDATE SET bytes = gateway_usage.bytes + excluded.bytes
  `

const leases = (sql: Sql, instance: string, ids: ReadonlyArray<string>) =>
  leaseRows(sql`
    SELECT p.id AS proxy_id, p.cycle, p.revision, coalesce(l.leased_bytes, 0) AS leased_bytes,
      coalesce(p.used_bytes + coalesce(l.leased_bytes, 0) >= p.limit_bytes, false) AS last
    FROM gateway_proxy p
    LEFT JOIN gateway_lease l ON l.proxy_id = p.id AND l.instance_id = ${instance}
    WHERE p.id = ANY (${ids}::uuid[])
  `).pipe(Effect.map((rows) => rows.map((row): TrafficLease => ({ ...row, leased_bytes: Number(row.leased_bytes) }))))

/**
 * Books report `number` of a gateway and returns the new leases. A report that is sent again is not booked again. Returns
 * `Settled` when another gateway has settled the leases of this one; `booked` is true when the report was booked before.
 */
const report = (sql: Sql) =>
  Effect.fnUntraced(function* (instance: string, number: number, reports: ReadonlyArray<TrafficReport>) {
    const ids = reports.map(({ proxy_id }) => proxy_id)
    const isClaimed = yield* Rows.any(sql`
      UPDATE gateway_instance SET report = ${number}
      WHERE id = ${instance} AND report = ${number}::int - 1 AND settled_at IS NULL RETURNING id
    `)
    if (isClaimed && ids.length > 0) {
      yield* lockProxies(sql, ids)
      yield* book(sql, instance, reports)
    } else if (!isClaimed) {
      const state = yield* reportState(
        sql`SELECT report, settled_at IS NOT NULL AS settled FROM gateway_instance WHERE id = ${instance}`
      )
      const row = Option.getOrUndefined(state)
      if (row?.settled !== false) return { _tag: "Settled", booked: (row?.report ?? 0) >= number } as const
    }
    return { _tag: "Booked", leases: yield* leases(sql, instance, ids) } as const
  })

/**
 * Books the leases of silent gateways as used, because the leased bytes may have passed. Skips a gateway that has reported
 * since it was judged silent.
 */
const settle = (sql: Sql) =>
  Effect.fnUntraced(function* (silent: ReadonlyArray<ReportedInstance>) {
    const now = yield* DateTime.now
    const dead = yield* instanceIds(sql`
      SELECT i.id FROM gateway_instance i
      JOIN jsonb_to_recordset(${sql.json(silent)}::jsonb) AS s (id uuid, report integer)
        ON s.id = i.id AND s.report = i.report
      WHERE i.settled_at IS NULL
      ORDER BY i.id LIMIT 10 FOR UPDATE OF i SKIP LOCKED
    `)
    const instances = dead.map(({ id }) => id)
    if (instances.length === 0) return 0
    const held = yield* proxyIds(
      sql`SELECT DISTINCT proxy_id FROM gateway_lease WHERE instance_id = ANY (${instances}::uuid[])`
    )
    yield* lockProxies(
      sql,
      held.map(({ proxy_id }) => proxy_id)
    )
    yield* sql`
      WITH lost AS (
        DELETE FROM gateway_lease WHERE instance_id = ANY (${instances}::uuid[]) RETURNING proxy_id, leased_bytes
      ), total AS (
        SELECT proxy_id, sum(leased_bytes)::bigint AS bytes FROM lost GROUP BY proxy_id
      ), proxy AS (
        UPDATE gateway_proxy p SET used_bytes = p.used_bytes + t.bytes, leased_bytes = p.leased_bytes - t.bytes
        FROM total t WHERE t.proxy_id = p.id
        RETURNING p.id, p.cycle, t.bytes
      )
      INSERT INTO gateway_usage (proxy_id, hour, cycle, bytes)
      SELECT id, date_trunc('hour', ${DateTime.toDate(now)}::timestamptz, 'UTC'), cycle, bytes FROM proxy WHERE bytes > 0
      ON CONFLICT (proxy_id, hour, cycle) DO UPDATE SET bytes = gateway_usage.bytes + excluded.bytes
    `
    yield* sql`
      UPDATE gateway_instance SET settled_at = ${DateTime.toDate(now)} WHERE id = ANY (${instances}::uuid[])
    `
    return instances.length
  })

export class TrafficRepo extends Context.Service<TrafficRepo>()("app/gateway/TrafficRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const atomically = yield* Atomically
    const reportOnce = report(sql)
    const settleDead = settle(sql)
    return {
      register: register(sql),
      report: (...args: Parameters<typeof reportOnce>) => atomically(reportOnce(...args)),
      /** Lists the gateways whose leases are not settled. */
      instances: instances(sql`SELECT id, report FROM gateway_instance WHERE settled_at IS NULL`),
      settle: (silent: ReadonlyArray<ReportedInstance>) => atomically(settleDead(silent)),
      /** Deletes a gateway that has ended normally, and gateways that were settled before a time. */
      forget: (instance: string, settledBefore: DateTime.Utc) =>
        sql`
          DELETE FROM gateway_instance i
          WHERE (id = ${instance} OR settled_at < ${DateTime.toDate(settledBefore)})
            AND NOT EXISTS (SELECT 1 FROM gateway_lease l WHERE l.instance_id = i.id)
        `
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
