import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { type GatewayNodeId, localNode } from "../GatewayNode.ts"
import type { NodeRun } from "../NodeControl.ts"
import type { ReportedInstance } from "../traffic/SilenceWatch.ts"
import { leaseBytes } from "../traffic/TrafficMeter.ts"
import type { TrafficLease } from "../TrafficLease.ts"
import type { TrafficReport } from "../TrafficReport.ts"

/** The smallest lease. Near the limit a lease is a quarter of the remaining traffic, so that several gateways can share it. */
const leastLeaseBytes = 256 * 1024
/** The largest lease of a node that must serve without the centre. Its journal keeps a killed process from losing it. */
const nodeLeaseBytes = 64 * 1024 * 1024

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
const runs = Rows.all(Schema.Struct({ id: Schema.String, boot_id: Schema.NullOr(Schema.String) }))
const proxyIds = Rows.all(Schema.Struct({ proxy_id: Schema.String }))
const reportState = Rows.first(Schema.Struct({ report: Schema.Int, settled: Schema.Boolean }))

const register = (sql: Sql) => (node: GatewayNodeId, id: string, run?: Pick<NodeRun, "boot_id" | "program">) =>
  sql`
  INSERT INTO gateway_instance (id, report, node_id, boot_id, program)
  VALUES (${id}, 0, ${node}, ${run?.boot_id ?? null}, ${run?.program ?? null})
  ON CONFLICT DO NOTHING
`

/** Locks proxies in the order of their ids, so that no two transactions wait for each other. */
const lockProxies = (sql: Sql, ids: ReadonlyArray<string>) =>
  sql`SELECT 1 FROM gateway_proxy WHERE id = ANY (${ids}::uuid[]) ORDER BY id FOR UPDATE`

/** Keeps the reports about proxies of the node, and about those that it has a lease of, because they moved away since. */
const isOf = (sql: Sql, node: GatewayNodeId, instance: string) => sql`
  WHERE EXISTS (SELECT FROM gateway_proxy p WHERE p.id = r.proxy_id AND p.node_id = ${node})
    OR EXISTS (SELECT FROM gateway_lease l WHERE l.proxy_id = r.proxy_id AND l.instance_id = ${instance})
`

/**
 * Books the reported traffic and renews the leases. The booked bytes reduce a lease; then the lease is filled up again.
 * `free` is the most that this gateway may book or hold, including its own lease. A report of an ended cycle counts by the
 * hour only: its bytes passed under a lease of that cycle, so they do not count against the running one.
 */
const book = (sql: Sql, node: GatewayNodeId, instance: string, reports: ReadonlyArray<TrafficReport>) =>
  sql`
    WITH report AS (
      SELECT * FROM jsonb_to_recordset(${sql.json(reports)}::jsonb)
        AS r (proxy_id uuid, cycle integer, bytes bigint, total bigint, hold boolean, hours jsonb)
      ${node === localNode ? sql`` : isOf(sql, node, instance)}
    ), account AS (
      SELECT p.id, r.total, CASE r.cycle WHEN p.cycle THEN r.bytes ELSE 0 END AS bytes, coalesce(l.leased_bytes, 0) AS held,
        r.hold AND r.cycle = p.cycle AND p.status = 'open' AND p.limit_bytes IS NOT NULL AS hold,
        p.limit_bytes - p.used_bytes - p.leased_bytes + coalesce(l.leased_bytes, 0) AS free
      FROM report r
      JOIN gateway_proxy p ON p.id = r.proxy_id
      LEFT JOIN gateway_lease l ON l.proxy_id = p.id AND l.instance_id = ${instance}
    ), booked AS (
      SELECT id, total, hold, held, least(bytes, free) AS charge, greatest(held - bytes, 0) AS rest,
        free - least(bytes, free) AS left_over
      FROM account
    ), renewed AS (
      SELECT id, total, held, charge, CASE WHEN NOT hold THEN 0 ELSE greatest(rest,
        least(left_over, ${node === localNode ? leaseBytes : nodeLeaseBytes}::bigint, greatest(left_over / 4, ${leastLeaseBytes}::bigint))) END AS lease
      FROM booked
    ), proxy AS (
      UPDATE gateway_proxy p SET used_bytes = p.used_bytes + r.charge, leased_bytes = p.leased_bytes - r.held + r.lease
      FROM renewed r WHERE r.id = p.id
    ), returned AS (
      DELETE FROM gateway_lease l USING renewed r
      WHERE l.proxy_id = r.id AND l.instance_id = ${instance} AND r.lease = 0
    ), leased AS (
      INSERT INTO gateway_lease (proxy_id, instance_id, leased_bytes, reported_bytes)
      SELECT id, ${instance}::uuid, lease, coalesce(total, 0) FROM renewed WHERE lease > 0
      ON CONFLICT (proxy_id, instance_id)
        DO UPDATE SET leased_bytes = excluded.leased_bytes, reported_bytes = excluded.reported_bytes
    )
    INSERT INTO gateway_usage (proxy_id, hour, cycle, bytes)
    SELECT p.id, to_timestamp(h.hour_seconds), h.cycle, h.bytes
    FROM report r
    JOIN gateway_proxy p ON p.id = r.proxy_id
    CROSS JOIN jsonb_to_recordset(r.hours) AS h (hour_seconds bigint, cycle integer, bytes bigint)
    ON CONFLICT (proxy_id, hour, cycle) DO UPDATE SET bytes = gateway_usage.bytes + excluded.bytes
  `

const leases = (sql: Sql, node: GatewayNodeId, instance: string, ids: ReadonlyArray<string>) =>
  leaseRows(sql`
    SELECT p.id AS proxy_id, p.cycle, p.revision, coalesce(l.leased_bytes, 0) AS leased_bytes,
      coalesce(p.used_bytes + coalesce(l.leased_bytes, 0) >= p.limit_bytes, false) AS last
    FROM gateway_proxy p
    LEFT JOIN gateway_lease l ON l.proxy_id = p.id AND l.instance_id = ${instance}
    WHERE p.id = ANY (${ids}::uuid[]) AND (p.node_id = ${node} OR l.instance_id IS NOT NULL)
  `).pipe(Effect.map((rows) => rows.map((row): TrafficLease => ({ ...row, leased_bytes: Number(row.leased_bytes) }))))

/**
 * Books report `number` of a gateway and returns the new leases. A report that is sent again is not booked again. Returns
 * `Settled` when another gateway has settled the leases of this one; `booked` is true when the report was booked before.
 */
const report = (sql: Sql) =>
  Effect.fnUntraced(function* (
    node: GatewayNodeId,
    instance: string,
    number: number,
    reports: ReadonlyArray<TrafficReport>
  ) {
    const ids = reports.map(({ proxy_id }) => proxy_id)
    const isClaimed = yield* Rows.any(sql`
      UPDATE gateway_instance SET report = ${number}
      WHERE id = ${instance} AND node_id = ${node} AND report = ${number}::int - 1 AND settled_at IS NULL RETURNING id
    `)
    if (isClaimed && ids.length > 0) {
      yield* lockProxies(sql, ids)
      yield* book(sql, node, instance, reports)
    } else if (!isClaimed) {
      const state = yield* reportState(
        sql`
          SELECT report, settled_at IS NOT NULL AS settled FROM gateway_instance
          WHERE id = ${instance} AND node_id = ${node}
        `
      )
      const row = Option.getOrUndefined(state)
      if (row?.settled !== false) return { _tag: "Settled", booked: (row?.report ?? 0) >= number } as const
    }
    return { _tag: "Booked", leases: yield* leases(sql, node, instance, ids) } as const
  })

/** What the journal of an ended process says about one proxy. */
interface JournalRow {
  readonly instance_id: string
  readonly proxy_id: string
  readonly cycle: number
  readonly total: number
}

/**
 * Ends gateways and books their leases. The leased bytes may have passed, so they count as used; what the journal of a
 * `known` gateway shows as unused does not.
 */
const end = (sql: Sql) =>
  Effect.fnUntraced(function* (
    instances: ReadonlyArray<string>,
    known: ReadonlyArray<string> = [],
    journal: ReadonlyArray<JournalRow> = []
  ) {
    const now = DateTime.toDate(yield* DateTime.now)
    const held = yield* proxyIds(
      sql`SELECT DISTINCT proxy_id FROM gateway_lease WHERE instance_id = ANY (${instances}::uuid[])`
    )
    yield* lockProxies(
      sql,
      held.map(({ proxy_id }) => proxy_id)
    )
    yield* sql`
      WITH journal AS (
        SELECT * FROM jsonb_to_recordset(${sql.json(journal)}::jsonb)
          AS j (instance_id uuid, proxy_id uuid, cycle integer, total bigint)
      ), lost AS (
        DELETE FROM gateway_lease WHERE instance_id = ANY (${instances}::uuid[])
        RETURNING proxy_id, instance_id, leased_bytes, reported_bytes
      ), passed AS (
        SELECT l.proxy_id, l.leased_bytes, CASE WHEN l.instance_id = ANY (${known}::uuid[])
          THEN least(l.leased_bytes, greatest(coalesce(j.total, 0) - l.reported_bytes, 0)) ELSE l.leased_bytes END AS bytes
        FROM lost l JOIN gateway_proxy p ON p.id = l.proxy_id
        LEFT JOIN journal j ON (j.instance_id, j.proxy_id, j.cycle) = (l.instance_id, l.proxy_id, p.cycle)
      ), total AS (
        SELECT proxy_id, sum(leased_bytes)::bigint AS leased, sum(bytes)::bigint AS bytes FROM passed GROUP BY proxy_id
      ), proxy AS (
        UPDATE gateway_proxy p SET used_bytes = p.used_bytes + t.bytes, leased_bytes = p.leased_bytes - t.leased
        FROM total t WHERE t.proxy_id = p.id
        RETURNING p.id, p.cycle, t.bytes
      )
      INSERT INTO gateway_usage (proxy_id, hour, cycle, bytes)
      SELECT id, date_trunc('hour', ${now}::timestamptz, 'UTC'), cycle, bytes FROM proxy WHERE bytes > 0
      ON CONFLICT (proxy_id, hour, cycle) DO UPDATE SET bytes = gateway_usage.bytes + excluded.bytes
    `
    yield* sql`UPDATE gateway_instance SET settled_at = ${now} WHERE id = ANY (${instances}::uuid[])`
  })

/** Settles silent gateways. Skips a gateway that has reported since it was judged silent. */
const settle = (sql: Sql) =>
  Effect.fnUntraced(function* (silent: ReadonlyArray<ReportedInstance>) {
    const dead = yield* instanceIds(sql`
      SELECT i.id FROM gateway_instance i
      JOIN jsonb_to_recordset(${sql.json(silent)}::jsonb) AS s (id uuid, report integer)
        ON s.id = i.id AND s.report = i.report
      WHERE i.settled_at IS NULL
      ORDER BY i.id LIMIT 10 FOR UPDATE OF i SKIP LOCKED
    `)
    const instances = dead.map(({ id }) => id)
    if (instances.length > 0) yield* end(sql)(instances)
    return instances.length
  })

/** Ends the former processes of a node, by their journals where the host has not started again since. */
const endFormer = (sql: Sql) =>
  Effect.fnUntraced(function* (node: GatewayNodeId, { boot_id, ended, epoch }: NodeRun) {
    const former = yield* runs(sql`
      SELECT id, boot_id FROM gateway_instance
      WHERE node_id = ${node} AND settled_at IS NULL AND id IS DISTINCT FROM ${epoch}::uuid ORDER BY id FOR UPDATE
    `)
    if (former.length === 0) return
    const known = former.filter((run) => run.boot_id === boot_id && ended.some((journal) => journal.epoch === run.id))
    const journal = ended.flatMap(({ epoch, slots }) => slots.map((slot) => ({ ...slot, instance_id: epoch })))
    const ids = (rows: typeof former) => rows.map(({ id }) => id)
    yield* end(sql)(ids(former), ids(known), journal)
  })

export class TrafficRepo extends Context.Service<TrafficRepo>()("app/gateway/TrafficRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const atomically = yield* Atomically
    const reportOnce = report(sql)
    const settleDead = settle(sql)
    const endFormerOf = endFormer(sql)
    return {
      register: register(sql),
      report: (...args: Parameters<typeof reportOnce>) => atomically(reportOnce(...args)),
      /** Lists the gateways whose leases are not settled. */
      instances: (node: GatewayNodeId) =>
        instances(sql`SELECT id, report FROM gateway_instance WHERE settled_at IS NULL AND node_id = ${node}`),
      settle: (silent: ReadonlyArray<ReportedInstance>) => atomically(settleDead(silent)),
      endFormer: (node: GatewayNodeId, run: NodeRun) => atomically(endFormerOf(node, run)),
      /** Deletes a gateway that has ended normally, and gateways that were settled before a time. */
      forget: (node: GatewayNodeId, instance: string, settledBefore: DateTime.Utc) =>
        sql`
          DELETE FROM gateway_instance i
          WHERE node_id = ${node} AND (id = ${instance} OR settled_at < ${DateTime.toDate(settledBefore)})
            AND NOT EXISTS (SELECT 1 FROM gateway_lease l WHERE l.instance_id = i.id)
        `
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
