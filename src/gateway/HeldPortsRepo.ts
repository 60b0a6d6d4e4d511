import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Wakes } from "../platform/postgres/Wakes.ts"
import type { PortRange } from "./GatewayConfig.ts"
import { type GatewayNodeId, localNode } from "./GatewayNode.ts"

type Sql = PgClient.PgClient

const HeldPorts = Schema.Struct({
  /** The number of ports that `freePort` can return. */
  free: Schema.Int,
  /** True when more ports are expected within moments: no gateway is connected, or one is about to hold more. */
  is_awaited: Schema.Boolean,
  /** True when no gateway is connected, or a connected one can hold more after it has sold some. */
  can_grow: Schema.Boolean
})
export type HeldPorts = typeof HeldPorts.Type

const Port = Schema.Struct({ port: Schema.Int })
const ports = Rows.all(Port)
const heldPorts = Rows.first(HeldPorts)

/** The connected gateways of the local node. Each holds the advisory lock of its id, so an id without a lock belongs to no gateway. */
const live = (sql: Sql) => sql`
  live AS MATERIALIZED (
    SELECT id, place, refills_at FROM gateway_holder WHERE NOT pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
  )
`

/** Reads the sold ports once (a hashed subplan), also before PostgreSQL has statistics of the table. */
const isSold = (sql: Sql) => sql`
  port.port IN (SELECT p.port FROM gateway_proxy p WHERE p.status = 'open' AND p.node_id = ${localNode})
`

/** Sells unused ports first, then the port that was closed longest ago, because former clients may still connect to it. */
const inOrderOfSale = (sql: Sql) => sql`
  ORDER BY (SELECT max(p.updated_at) FROM gateway_proxy p WHERE p.port = port.port AND p.status = 'closed') NULLS FIRST, port
`

const unsold = (sql: Sql, { except, first, last }: PortRange) => sql`
  FROM generate_series(${first}::int, ${last}::int) AS port (port)
  WHERE port <> ALL (${except}::int[]) AND NOT ${isSold(sql)}
`

/** The ports that are held in every place with a gateway. A place is a machine and the address that a gateway binds to. */
const held = (sql: Sql, { except, first, last }: PortRange) => sql`
  port AS (
    SELECT h.port FROM gateway_port h JOIN live ON live.id = h.holder_id
    WHERE h.port BETWEEN ${first}::int AND ${last}::int AND h.port <> ALL (${except}::int[])
    GROUP BY h.port HAVING count(DISTINCT place) = (SELECT count(DISTINCT place) FROM live)
  )
`

/** The gateways that are about to hold more ports. */
const refilling = (sql: Sql) => sql`
  SELECT FROM live WHERE refills_at >= (
    SELECT count(*) FROM gateway_port port WHERE port.holder_id = live.id AND NOT ${isSold(sql)}
  )
`

/** The queries of the service, which sells ports. */
const selling = (sql: Sql) => ({
  /**
   * Picks an unsold port that is held in every place with a gateway, and tells if it is the last one: tables of a WITH list,
   * the last one `free_port`.
   */
  freePort: (range: PortRange): StatementPart => sql`
    ${live(sql)}, ${held(sql, range)}, free_port AS (
      SELECT port, count(*) OVER () = 1 AS is_last FROM port WHERE NOT ${isSold(sql)} ${inOrderOfSale(sql)} LIMIT 1
    )
  `,

  stock: (range: PortRange) =>
    heldPorts(sql`
      WITH ${live(sql)}, ${held(sql, range)}
      SELECT
        (SELECT count(*)::int FROM port WHERE NOT ${isSold(sql)}) AS free,
        (NOT EXISTS (SELECT FROM live) OR EXISTS (${refilling(sql)})) AND EXISTS (SELECT ${unsold(sql, range)}) AS is_awaited,
        NOT EXISTS (SELECT FROM live) OR EXISTS (SELECT FROM live WHERE refills_at IS NOT NULL) AS can_grow
    `).pipe(Effect.map(Option.getOrElse((): HeldPorts => ({ free: 0, is_awaited: false, can_grow: false }))))
})

/** The queries and reports of a gateway process. */
const holding = (sql: Sql, { wake }: Wakes["Service"]) => ({
  /** Lists the ports to hold next, in the order of sale. */
  candidates: (range: PortRange, limit: number) =>
    ports(sql`SELECT port ${unsold(sql, range)} ${inOrderOfSale(sql)} LIMIT ${limit}`).pipe(
      Effect.map((rows) => rows.map(({ port }) => port))
    ),

  /**
   * Records that the gateway listens on exactly these ports, and that it takes more when at most `refillsAt` of them are
   * unsold. Null: no more ports are available. Deletes the records of disconnected gateways.
   */
  report: (id: string, place: string, ports: ReadonlyArray<number>, refillsAt: number | null) =>
    Effect.andThen(
      sql`
        DELETE FROM gateway_holder
        WHERE id <> ${id} AND pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
      `,
      sql`
        WITH holder AS (
          INSERT INTO gateway_holder (id, place, refills_at) VALUES (${id}, ${place}, ${refillsAt})
          ON CONFLICT (id) DO UPDATE SET refills_at = EXCLUDED.refills_at
          WHERE gateway_holder.refills_at IS DISTINCT FROM EXCLUDED.refills_at
        ), gone AS (
          DELETE FROM gateway_port WHERE holder_id = ${id} AND port <> ALL (${ports}::int[])
        )
        INSERT INTO gateway_port (port, holder_id) SELECT unnest(${ports}::int[]), ${id}::uuid ON CONFLICT DO NOTHING
      `
    ),

  /** Filters `wanted`: returns the ports that a connected gateway of the same place holds. */
  heldAt: (place: string, wanted: ReadonlyArray<number>) =>
    ports(sql`
      WITH ${live(sql)} SELECT DISTINCT h.port FROM gateway_port h JOIN live ON live.id = h.holder_id
      WHERE live.place = ${place} AND h.port = ANY (${wanted}::int[])
    `).pipe(Effect.map((rows): ReadonlySet<number> => new Set(rows.map(({ port }) => port)))),

  /** Marks the gateway as connected while the scope is open. The returned effect fails when the connection is lost. */
  present: Effect.fnUntraced(function* (id: string) {
    const connection = yield* sql.reserve
    const run = (statement: string) => connection.executeValues(statement, [id])
    yield* Effect.acquireRelease(run("SELECT pg_advisory_lock(hashtextextended($1, 0))"), () =>
      Effect.ignore(run("SELECT pg_advisory_unlock(hashtextextended($1, 0))"))
    )
    return Effect.asVoid(run("SELECT $1::text"))
  }),

  leave: (id: string) => sql`DELETE FROM gateway_holder WHERE id = ${id}`,

  /** Closes proxies whose port another process holds. */
  closeLost: (ids: ReadonlyArray<string>, now: DateTime.Utc, node: GatewayNodeId = localNode) =>
    sql`
      UPDATE gateway_proxy SET status = 'closed', updated_at = ${DateTime.toDate(now)}
      WHERE id = ANY (${ids}::uuid[]) AND status = 'open' AND node_id = ${node}
    `.pipe(Effect.andThen(wake("gateway_proxy", ids)))
})

/** The ports that gateway processes hold. A port is sold only while a gateway holds it. */
export class HeldPortsRepo extends Context.Service<HeldPortsRepo>()("app/gateway/HeldPortsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return { ...selling(sql), ...holding(sql, yield* Wakes) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
