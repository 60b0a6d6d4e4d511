import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import { Wakes } from "../platform/postgres/Wakes.ts"
import { GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"

const proxy = Rows.first(GatewayProxy)
const inserted = Rows.one(GatewayProxy)
const encode = Schema.encodeEffect(GatewayProxy.insert)
const references = Rows.all(Schema.Struct({ reference: Schema.String }))
const Address = Schema.Struct({ ip: Schema.String })
const address = Rows.first(Address)
const addresses = Rows.all(Address)

/** The rows of proxies. */
const rows = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => {
  const insert = (row: typeof GatewayProxy.insert.Encoded) =>
    sql`INSERT INTO gateway_proxy ${sql.insert({ ...row, logins: sql.json(row.logins) })} RETURNING *`

  return {
    insert: (proxy: typeof GatewayProxy.insert.Type) =>
      encode(proxy).pipe(
        Effect.flatMap(insert),
        inserted,
        Effect.tap(({ id }) => wake("gateway_proxy", [id]))
      ),
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
  }
}

/** The exit addresses that open proxies leave free. */
const stock = (sql: PgClient.PgClient) => ({
  /** Blocks other openings until the transaction ends, so that no two proxies get the same port or exit address. */
  lockAllocation: Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext('gateway_proxy'))`),

  /**
   * Picks one of `ips` that no open static proxy holds. A mobile proxy prefers such an address, then the address that the
   * fewest proxies share, then the next one after `current`, so that rotations pass through all addresses.
   */
  freeExitIp: (ips: ReadonlyArray<string>, kind: GatewayProxy["kind"], current: string | null = null) =>
    address(sql`
      SELECT host(candidate.ip) AS ip FROM unnest(${ips}::inet[]) AS candidate (ip)
      LEFT JOIN gateway_proxy p ON p.exit_ip = candidate.ip AND p.status = 'open'
      GROUP BY candidate.ip
      HAVING ${kind === "mobile"}::boolean OR count(p.id) FILTER (WHERE p.kind <> 'mobile') = 0
      ORDER BY count(p.id) FILTER (WHERE p.kind <> 'mobile'), count(p.id), candidate.ip <= ${current}::inet, candidate.ip
      LIMIT 1
    `).pipe(Effect.map(Option.map(({ ip }) => ip))),

  /** Lists the exit addresses that open static proxies hold. */
  heldExitIps: addresses(sql`
    SELECT host(exit_ip) AS ip FROM gateway_proxy
    WHERE status = 'open' AND kind IN ('datacenter', 'residential') AND exit_ip IS NOT NULL
  `).pipe(Effect.map((found): ReadonlySet<string> => new Set(found.map(({ ip }) => ip))))
})

export class GatewayProxiesRepo extends Context.Service<GatewayProxiesRepo>()("app/gateway/GatewayProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return { ...rows(sql, yield* Wakes), ...stock(sql) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
