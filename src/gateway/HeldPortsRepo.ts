import { PgClient } from "@effect/sql-pg"
import { Context, type DateTime, Effect, Layer, Option } from "effect"
import type { PortRange } from "./GatewayConfig.ts"

type Sql = PgClient.PgClient

export interface HeldPorts {
  /** Ports that `freePort` may answer. */
  readonly free: number
  /** There will be more in a moment: no gateway is connected, or one is about to hold more. */
  readonly is_awaited: boolean
  /** No gateway is connected, or one would hold more when it has sold some. */
  readonly can_grow: boolean
}

/** Gateways that are connected: each holds the lock of its id, so that nobody else gets it. */
const live = (sql: Sql) => sql`
  live AS MATERIALIZED (
    SELECT id, place, refills_at FROM gateway_holder WHERE NOT pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
  )
`

const isSold = (sql: Sql) => sql`EXISTS (SELECT FROM gateway_proxy p WHERE p.port = port.port AND p.status = 'open')`

/** A port that was never used comes first, else the one that was closed longest ago: its last clients may still come. */
const inOrderOfSale = (sql: Sql) => sql`
  ORDER BY (SELECT max(p.updated_at) FROM gateway_proxy p WHERE p.port = port.port AND p.status = 'closed') NULLS FIRST, port
`

const unsold = (sql: Sql, { except, first, last }: PortRange) => sql`
  FROM generate_series(${first}::int, ${last}::int) AS port (port)
  WHERE port <> ALL (${except}::int[]) AND NOT ${isSold(sql)}
`

/** Ports that every place with a gateway holds. */
const held = (sql: Sql, { except, first, last }: PortRange) => sql`
  port AS (
    SELECT h.port FROM gateway_port h JOIN live ON live.id = h.holder_id
    WHERE h.port BETWEEN ${first}::int AND ${last}::int AND h.port <> ALL (${except}::int[])
    GROUP BY h.port HAVING count(DISTINCT place) = (SELECT count(DISTINCT place) FROM live)
  )
`

/** Gateways that are about to hold more ports. */
const refilling = (sql: Sql) => sql`
  SELECT FROM live WHERE refills_at >= (
    SELECT count(*) FROM gateway_port port WHERE port.holder_id = live.id AND NOT ${isSold(sql)}
  )
`

/** Queries of the seller. */
const selling = (sql: Sql) => ({
  /** An unsold port that every place with a gateway holds. */
  freePort: (ports: PortRange) =>
    sql<{ port: number }>`
      WITH ${live(sql)}, ${held(sql, ports)}
      SELECT port FROM port WHERE NOT ${isSold(sql)} ${inOrderOfSale(sql)} LIMIT 1
    `.pipe(
      Effect.map((found) => Option.fromUndefinedOr(found[0]?.port)),
      Effect.orDie
    ),

  stock: (ports: PortRange) =>
    sql<HeldPorts>`
      WITH ${live(sql)}, ${held(sql, ports)}
      SELECT
        (SELECT count(*)::int FROM port WHERE NOT ${isSold(sql)}) AS free,
        (NOT EXISTS (SELECT FROM live) OR EXISTS (${refilling(sql)})) AND EXISTS (SELECT ${unsold(sql, ports)}) AS is_awaited,
        NOT EXISTS (SELECT FROM live) OR EXISTS (SELECT FROM live WHERE refills_at IS NOT NULL) AS can_grow
    `.pipe(
      Effect.map(([row]) => row ?? { free: 0, is_awaited: false, can_grow: false }),
      Effect.orDie
    )
})

/** Queries and reports of a gateway. */
const holding = (sql: Sql) => ({
  /** Ports to hold next, in the order of sale. */
  candidates: (ports: PortRange, limit: number) =>
    sql<{ port: number }>`SELECT port ${unsold(sql, ports)} ${inOrderOfSale(sql)} LIMIT ${limit}`.pipe(
      Effect.map((rows) => rows.map(({ port }) => port))
    ),

  /**
   * The gateway listens on these ports and on no other, and takes more when no more than `refillsAt` of them are unsold
   * (null: there are no more). Gateways that have gone are forgotten.
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

  /** Keeps the given ports that a connected gateway of the place holds. */
  heldAt: (place: string, ports: ReadonlyArray<number>) =>
    sql<{ port: number }>`
      WITH ${live(sql)} SELECT DISTINCT h.port FROM gateway_port h JOIN live ON live.id = h.holder_id
      WHERE live.place = ${place} AND h.port = ANY (${ports}::int[])
    `.pipe(Effect.map((rows): ReadonlySet<number> => new Set(rows.map(({ port }) => port)))),

  /**
   * The gateway counts as connected until the scope closes or its connection is lost; then the answered effect fails.
   */
  present: Effect.fnUntraced(function* (id: string) {
    const connection = yield* sql.reserve
    const run = (statement: string) => connection.executeValues(statement, [id])
    yield* Effect.acquireRelease(run("SELECT pg_advisory_lock(hashtextextended($1, 0))"), () =>
      Effect.ignore(run("SELECT pg_advisory_unlock(hashtextextended($1, 0))"))
    )
    return Effect.asVoid(run("SELECT $1::text"))
  }),

  leave: (id: string) => sql`DELETE FROM gateway_holder WHERE id = ${id}`,

  /** Closes proxies whose port is another process's. */
  closeLost: (ids: ReadonlyArray<string>, now: DateTime.Utc) =>
    sql`
      UPDATE gateway_proxy SET status = 'closed', updated_at = ${new Date(now.epochMilliseconds)}
      WHERE id = ANY (${ids}::uuid[]) AND status = 'open'
    `
})

/** The ports that gateways hold: a port is sold only while a gateway has it. */
export class HeldPortsRepo extends Context.Service<HeldPortsRepo>()("app/gateway/HeldPortsRepo", {
  make: Effect.map(PgClient.PgClient, (sql) => ({ ...selling(sql), ...holding(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
