import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import * as Rows from "../platform/postgres/Rows.ts"
import { Wakes } from "../platform/postgres/Wakes.ts"
import { GatewayProxyEnded, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"

const Terms = Schema.Struct(
  Struct.pick(GatewayProxy.fields, ["id", "expires_at", "limit_bytes", "change_reference", "updated_at"])
)

const Changed = Schema.Struct({
  ...Terms.fields,
  ...Struct.pick(GatewayProxy.fields, ["protocol", "logins", "whitelist", "exit_ip", "rotations", "signature"])
})

const proxy = Rows.first(GatewayProxy)
const changed = Rows.one(GatewayProxy)
const encode = Schema.encodeEffect(Changed)
const encodeTerms = Schema.encodeEffect(Terms)

/** The fields of a locked proxy. `updated_at` is the time of the change. */
export interface LockedProxy extends Omit<GatewayProxy, "isLive"> {}

export class GatewayChangesRepo extends Context.Service<GatewayChangesRepo>()("app/gateway/GatewayChangesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { wake } = yield* Wakes

    const lock = Effect.fnUntraced(function* (id: GatewayProxyId) {
      const found = yield* proxy(sql`SELECT * FROM gateway_proxy WHERE id = ${id} FOR UPDATE`)
      return Option.isSome(found) ? found.value : yield* new GatewayProxyNotFound()
    })

    const live = Effect.fnUntraced(function* (proxy: GatewayProxy): Effect.fn.Return<LockedProxy, GatewayProxyEnded> {
      const updated_at = yield* DateTime.now
      return proxy.isLive(updated_at) ? { ...proxy, updated_at } : yield* new GatewayProxyEnded()
    })

    const save = Effect.fnUntraced(function* (proxy: typeof Changed.Type) {
      const { id, logins, whitelist, ...row } = yield* encode(proxy)
      return yield* changed(sql`
        UPDATE gateway_proxy
        SET ${sql.update({ ...row, logins: sql.json(logins) })}, whitelist = ${whitelist}::inet[]
        WHERE id = ${id} RETURNING *
      `).pipe(Effect.tap(wake("gateway_proxy", [id])))
    }, Effect.orDie)

    const articleLimits = sql`
      SELECT a.rate_mbps * 1000000::bigint AS rate_bps, a.max_connections FROM gateway_article a
      WHERE a.id = gateway_proxy.article
    `

    /** Chooses the better limit. Null is unlimited. */
    const better = (limit: "max_connections" | "rate_bps") =>
      sql.literal(
        `CASE WHEN num_nulls(gateway_proxy.${limit}, a.${limit}) = 0 THEN greatest(gateway_proxy.${limit}, a.${limit}) END`
      )

    const append = Effect.fnUntraced(function* (proxy: typeof Terms.Type) {
      const { id, ...terms } = yield* encodeTerms(proxy)
      return yield* changed(sql`
        UPDATE gateway_proxy SET ${sql.update(terms)}, (rate_bps, max_connections) = (
          SELECT ${better("rate_bps")}, ${better("max_connections")} FROM (${articleLimits}) a
        )
        WHERE id = ${id} RETURNING *
      `).pipe(Effect.tap(wake("gateway_proxy", [id])))
    }, Effect.orDie)

    const restart = Effect.fnUntraced(function* (proxy: typeof Terms.Type) {
      const { id, ...terms } = yield* encodeTerms(proxy)
      return yield* changed(sql`
        WITH ended AS (DELETE FROM gateway_lease WHERE proxy_id = ${id})
        UPDATE gateway_proxy SET ${sql.update(terms)}, cycle = cycle + 1, used_bytes = 0, leased_bytes = 0,
          (rate_bps, max_connections) = (${articleLimits})
        WHERE id = ${id} RETURNING *
      `).pipe(Effect.tap(wake("gateway_proxy", [id])))
    }, Effect.orDie)

    return {
      /** Reads a proxy and locks it until the transaction ends. */
      lock,
      /** Stamps a locked proxy with the time of the change. Fails when the proxy has ended. */
      live,
      lockLive: (id: GatewayProxyId) => Effect.flatMap(lock(id), live),
      save,
      /** Changes the end and the traffic of the running cycle. A limit that is better for the article by now counts too. */
      append,
      /** Begins the next cycle, with no traffic used and none leased, and with the present limits of the article. */
      restart
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
