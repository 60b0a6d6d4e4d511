import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Wakes } from "../platform/postgres/Wakes.ts"
import { GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"

const proxy = Rows.first(GatewayProxy)
const sale = Rows.first(Schema.Struct({ is_last_port: Schema.Boolean }))
const references = Rows.all(Schema.Struct({ reference: Schema.String }))
const counted = Rows.one(Schema.Struct({ spare: Schema.Int }))
const address = Rows.one(Schema.Struct({ ip: Schema.NullOr(Schema.String) }))

/** The fields of a new proxy that the article and the stock do not decide. */
const NewProxy = Schema.Struct({
  ...Struct.pick(GatewayProxy.insert.fields, ["id", "reference", "protocol", "logins", "limit_bytes", "expires_at"]),
  article: Schema.String,
  created_at: Schema.DateTimeUtcFromDate
})
const encode = Schema.encodeEffect(NewProxy)

type Sql = PgClient.PgClient

/** The addresses on sale of a pool and an IP version. */
const onSale = (sql: Sql, pool: StatementPart, ip_version: StatementPart) => sql`
  e.state = 'on' AND e.pool = ${pool} AND family(e.ip) = CASE ${ip_version} WHEN 'IPv4' THEN 4 ELSE 6 END
`

/** Picks an address that no open static proxy has. */
const ownExit = (sql: Sql) => sql`
  SELECT e.ip FROM exit_address e
  WHERE ${onSale(sql, sql`a.pool`, sql`a.ip_version`)} AND NOT EXISTS (
    SELECT FROM gateway_proxy g WHERE g.exit_ip = e.ip AND g.status = 'open' AND g.kind <> 'mobile'
  )
  ORDER BY e.ip LIMIT 1
`

/**
 * Picks an address for a mobile proxy: one that no static proxy has, then the one that the fewest proxies share, then the
 * next one after `current`, so that rotations pass through all addresses.
 */
const sharedExit = (sql: Sql, where: StatementPart, current: string | null) => sql`
  SELECT e.ip FROM exit_address e LEFT JOIN gateway_proxy g ON g.exit_ip = e.ip AND g.status = 'open'
  WHERE ${where} GROUP BY e.ip
  ORDER BY count(g.id) FILTER (WHERE g.kind <> 'mobile'), count(g.id), e.ip <= ${current}::inet, e.ip LIMIT 1
`

type Placed = Pick<GatewayProxy, "country_code" | "exit_ip" | "ip_version" | "kind" | "pool">

/**
 * The addresses on sale that a proxy can move to: of its pool. A proxy that is older than the shop belongs to the pool that has
 * its address; when this pool sells nothing more, to the pools of its country and kind.
 */
const otherExits = (sql: Sql, { country_code, exit_ip, ip_version, kind, pool }: Placed) => {
  const own = sql`
    SELECT old.pool FROM exit_address old WHERE old.ip = ${exit_ip}::inet AND EXISTS (
      SELECT FROM exit_address e WHERE ${onSale(sql, sql`old.pool`, sql`${ip_version}::text`)}
    )
  `
  const pools =
    pool === null
      ? sql`
          SELECT name FROM exit_pool
          WHERE name = (${own}) OR NOT EXISTS (${own}) AND (country_code, kind) = (${country_code}, ${kind})
        `
      : sql`SELECT ${pool}::text`
  return sql`${onSale(sql, sql`ANY (${pools})`, sql`${ip_version}::text`)} AND e.ip IS DISTINCT FROM ${exit_ip}::inet`
}

/** The same without addresses that an open static proxy has. A static proxy has its address for itself. */
const freeExits = (sql: Sql, placed: Placed) => sql`
  ${otherExits(sql, placed)} AND NOT EXISTS (
    SELECT FROM gateway_proxy g WHERE g.exit_ip = e.ip AND g.status = 'open' AND g.kind <> 'mobile'
  )
`

/** The proxies and the exit addresses that are sold. */
const selling = (sql: Sql, { wake }: Wakes["Service"]) => {
  const insert = (
    { article, created_at, expires_at, id, limit_bytes, logins, protocol, reference }: typeof NewProxy.Encoded,
    freePort: StatementPart
  ) => sql`
    WITH existing AS (SELECT * FROM gateway_proxy WHERE reference = ${reference}), ${freePort}, opened AS (
      INSERT INTO gateway_proxy (id, reference, article, pool, kind, country_code, ip_version, protocol, port, logins,
        exit_ip, signature, limit_bytes, rate_bps, max_connections, status, expires_at, created_at, updated_at)
      SELECT ${id}::uuid, ${reference}::uuid, a.id, a.pool, a.kind, a.country_code, a.ip_version, ${protocol}, f.port,
        ${sql.json(logins)}::jsonb, exit.ip, CASE a.kind WHEN 'mobile' THEN 'android' END, ${limit_bytes}::bigint,
        a.rate_mbps * 1000000::bigint, a.max_connections, 'open', ${expires_at}::timestamptz, ${created_at}::timestamptz,
        ${created_at}::timestamptz
      FROM gateway_article a JOIN exit_pool p ON p.name = a.pool CROSS JOIN free_port f
      CROSS JOIN LATERAL (SELECT CASE
        WHEN p.uses_machine THEN NULL
        WHEN a.kind = 'mobile' THEN (${sharedExit(sql, onSale(sql, sql`a.pool`, sql`a.ip_version`), null)})
        ELSE (${ownExit(sql)})
      END) AS exit (ip)
      WHERE a.id = ${article} AND NOT EXISTS (SELECT FROM existing) AND (p.uses_machine OR exit.ip IS NOT NULL)
        AND (a.open_at_most IS NULL OR a.open_at_most > (
          SELECT count(*) FROM gateway_proxy g WHERE g.article = a.id AND g.status = 'open'
        ))
      RETURNING *
    )
    SELECT *, false AS is_last_port FROM existing
    UNION ALL SELECT opened.*, f.is_last FROM opened CROSS JOIN free_port f
  `

  return {
    /** Blocks other openings until the transaction ends, so that no two proxies get the same port or exit address. */
    lockAllocation: Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext('gateway_proxy'))`),
    /**
     * Opens a proxy of an article on a free port, with an exit address of the article's pool, or returns the proxy that was
     * opened with the reference. None: no port or no exit address is free, or the limit of the article is reached.
     * `isLastPort`: a proxy was opened on the last free port.
     */
    open: Effect.fnUntraced(function* (wanted: typeof NewProxy.Type, freePort: StatementPart) {
      const rows = Effect.succeed(yield* insert(yield* encode(wanted), freePort))
      const found = yield* proxy(rows)
      yield* wake("gateway_proxy", Option.toArray(Option.map(found, ({ id }) => id)))
      return { found, isLastPort: Option.exists(yield* sale(rows), ({ is_last_port }) => is_last_port) }
    }, Effect.orDie),
    /** Picks another exit address for a mobile proxy. Without another one it keeps its own, as long as the shop has it. */
    nextExitIp: (placed: Placed) =>
      address(sql`
        SELECT host(coalesce(
          (${sharedExit(sql, otherExits(sql, placed), placed.exit_ip)}),
          (SELECT ip FROM exit_address WHERE ip = ${placed.exit_ip}::inet)
        )) AS ip
      `).pipe(Effect.map(({ ip }) => ip)),
    /** Picks an exit address for the replacement of a proxy. Null: no other one is free. */
    replacementExit: (placed: Placed) =>
      address(
        placed.kind === "mobile"
          ? sql`SELECT host((${sharedExit(sql, otherExits(sql, placed), placed.exit_ip)})) AS ip`
          : sql`
              SELECT host((
                SELECT e.ip FROM exit_address e WHERE ${freeExits(sql, placed)}
                ORDER BY e.ip <= ${placed.exit_ip}::inet, e.ip LIMIT 1
              )) AS ip
            `
      ).pipe(Effect.map(({ ip }) => ip)),
    countSpareExits: (placed: Placed) =>
      counted(sql`
        SELECT count(*)::int AS spare FROM exit_address e
        WHERE ${placed.kind === "mobile" ? otherExits(sql, placed) : freeExits(sql, placed)}
      `).pipe(Effect.map(({ spare }) => spare))
  }
}

/** The rows of proxies. */
const rows = (sql: Sql, { wake }: Wakes["Service"]) => ({
  byReference: (reference: string) => proxy(sql`SELECT * FROM gateway_proxy WHERE reference = ${reference}`),
  byId: (id: GatewayProxyId) => proxy(sql`SELECT * FROM gateway_proxy WHERE id = ${id}`),
  close: (id: GatewayProxyId, now: DateTime.Utc) =>
    sql`
      UPDATE gateway_proxy SET status = 'closed', updated_at = ${DateTime.toDate(now)}
      WHERE id = ${id} AND status = 'open'
    `.pipe(Effect.andThen(wake("gateway_proxy", [id])), Effect.orDie),
  /** Lists the references of proxies that were closed before they expired. */
  closedEarly: (now: DateTime.Utc) =>
    references(sql`
      SELECT reference FROM gateway_proxy WHERE status = 'closed' AND expires_at > ${DateTime.toDate(now)}
    `).pipe(Effect.map((found) => found.map(({ reference }) => reference)))
})

export class GatewayProxiesRepo extends Context.Service<GatewayProxiesRepo>()("app/gateway/GatewayProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const wakes = yield* Wakes
    return { ...rows(sql, wakes), ...selling(sql, wakes) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
