import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"

const Moment = Schema.DateTimeUtcFromDate

/** Rows of proxies. */
const rows = (sql: PgClient.PgClient) => {
  const insert = SqlSchema.findOne({
    Request: GatewayProxy.insert,
    Result: GatewayProxy,
    execute: (row) => sql`INSERT INTO gateway_proxy ${sql.insert({ ...row, logins: sql.json(row.logins) })} RETURNING *`
  })

  const byReference = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: GatewayProxy,
    execute: (reference) => sql`SELECT * FROM gateway_proxy WHERE reference = ${reference}`
  })

  const byId = SqlSchema.findOneOption({
    Request: GatewayProxyId,
    Result: GatewayProxy,
    execute: (id) => sql`SELECT * FROM gateway_proxy WHERE id = ${id}`
  })

  const close = SqlSchema.void({
    Request: Schema.Struct({ id: GatewayProxyId, now: Moment }),
    execute: ({ id, now }) =>
      sql`UPDATE gateway_proxy SET status = 'closed', updated_at = ${now} WHERE id = ${id} AND status = 'open'`
  })

  return {
    insert: (row: typeof GatewayProxy.insert.Type) => Effect.orDie(insert(row)),
    byReference: (reference: string) => Effect.orDie(byReference(reference)),
    byId: (id: GatewayProxyId) => Effect.orDie(byId(id)),
    close: (id: GatewayProxyId, now: DateTime.Utc) => Effect.orDie(close({ id, now })),
    /** References of proxies that were closed before their end. */
    closedEarly: (now: DateTime.Utc) =>
      sql<{ reference: string }>`
        SELECT reference FROM gateway_proxy WHERE status = 'closed' AND expires_at > ${DateTime.toDate(now)}
      `.pipe(
        Effect.map((found) => found.map(({ reference }) => reference)),
        Effect.orDie
      )
  }
}

/** What live proxies leave free. */
const stock = (sql: PgClient.PgClient) => ({
  /** One proxy is opened at a time, so that each finds its port and address free. */
  lockAllocation: Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext('gateway_proxy'))`),

  /**
   * Of `ips`, one no live static proxy holds; for a mobile proxy rather one that none does, and the fewest share.
   * Of equal ones it is the next after `current`, so that rotating goes through all of them.
   */
  freeExitIp: (ips: ReadonlyArray<string>, kind: GatewayProxy["kind"], current: string | null = null) =>
    sql<{ ip: string }>`
      SELECT host(candidate.ip) AS ip FROM unnest(${ips}::inet[]) AS candidate (ip)
      LEFT JOIN gateway_proxy p ON p.exit_ip = candidate.ip AND p.status = 'open'
      GROUP BY candidate.ip
      HAVING ${kind === "mobile"}::boolean OR count(p.id) FILTER (WHERE p.kind <> 'mobile') = 0
      ORDER BY count(p.id) FILTER (WHERE p.kind <> 'mobile'), count(p.id), candidate.ip <= ${current}::inet, candidate.ip
      LIMIT 1
    `.pipe(
      Effect.map((found) => Option.fromUndefinedOr(found[0]?.ip)),
      Effect.orDie
    ),

  /** The addresses live static proxies hold. */
  heldExitIps: sql<{ ip: string }>`
    SELECT host(exit_ip) AS ip FROM gateway_proxy
    WHERE status = 'open' AND kind IN ('datacenter', 'residential') AND exit_ip IS NOT NULL
  `.pipe(
    Effect.map((found): ReadonlySet<string> => new Set(found.map(({ ip }) => ip))),
    Effect.orDie
  )
})

export class GatewayProxiesRepo extends Context.Service<GatewayProxiesRepo>()("app/gateway/GatewayProxiesRepo", {
  make: Effect.map(PgClient.PgClient, (sql) => ({ ...rows(sql), ...stock(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
