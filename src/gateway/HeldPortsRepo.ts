import { PgClient } from "@effect/sql-pg"
import { Context, type DateTime, Effect, Layer, Option } from "effect"
import type { PortRange } from "./GatewayConfig.ts"

type Sql = PgClient.PgClient

/** Gateways that are connected: each holds the lock of its id, so that nobody else gets it. */
const live = (sql: Sql) => sql`
  live AS MATERIALIZED (
    SELECT id, place FROM gateway_holder WHERE NOT pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
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

/** Queries of the seller. */
const selling = (sql: Sql) => ({
  /** An unsold port that every place with a gateway holds. */
  freePort: ({ except, first, last }: PortRange) =>
    sql<{ port: number }>`
      WITH ${live(sql)}, port AS (
        SELECT h.port FROM gateway_port h JOIN live ON live.id = h.holder_id
        WHERE h.port BETWEEN ${first}::int AND ${last}::int AND h.port <> ALL (${except}::int[])
        GROUP BY h.port HAVING count(DISTINCT place) = (SELECT count(DISTINCT place) FROM live)
      )
      SELECT port FROM port WHERE NOT ${isSold(sql)} ${inOrderOfSale(sql)} LIMIT 1
    `.pipe(
      Effect.map((found) => Option.fromUndefinedOr(found[0]?.port)),
      Effect.orDie
    ),

  /** Says whether a gateway is connected, and whether the range has a port that is not sold, held or not. */
  supply: (ports: PortRange) =>
    sql<{ is_served: boolean; has_unsold: boolean }>`
      WITH ${live(sql)} SELECT EXISTS (SELECT FROM live) AS is_served, EXISTS (SELECT ${unsold(sql, ports)}) AS has_unsold
    `.pipe(
      Effect.map(([row]) => row ?? { is_served: false, has_unsold: false }),
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

  /** The gateway listens on these ports and on no other; gateways that have gone are forgotten. */
  report: (id: string, place: string, ports: ReadonlyArray<number>) =>
    Effect.andThen(
      sql`
        DELETE FROM gateway_holder
        WHERE id <> ${id} AND pg_try_advisory_xact_lock_shared(hashtextextended(id::text, 0))
      `,
      sql`
        WITH holder AS (
          INSERT INTO gateway_holder (id, place) VALUES (${id}, ${place}) ON CONFLICT (id) DO NOTHING
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
