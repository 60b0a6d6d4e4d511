import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlSchema } from "effect/sql"
import { GatewayProxyEnded, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"

const Terms = Schema.Struct(
  Struct.pick(GatewayProxy.fields, ["id", "expires_at", "limit_bytes", "change_reference", "updated_at"])
)

const Changed = Schema.Struct({
  ...Terms.fields,
  ...Struct.pick(GatewayProxy.fields, ["protocol", "logins", "whitelist", "exit_ip", "rotations", "signature"])
})

export class GatewayChangesRepo extends Context.Service<GatewayChangesRepo>()("app/gateway/GatewayChangesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const byIdForUpdate = SqlSchema.findOneOption({
      Request: GatewayProxyId,
      Result: GatewayProxy,
      execute: (id) => sql`SELECT * FROM gateway_proxy WHERE id = ${id} FOR UPDATE`
    })

    const lock = Effect.fnUntraced(function* (id: GatewayProxyId) {
      const found = yield* Effect.orDie(byIdForUpdate(id))
      return Option.isSome(found) ? found.value : yield* new GatewayProxyNotFound()
    })

    const live = Effect.fnUntraced(function* (proxy: GatewayProxy) {
      const updated_at = yield* DateTime.now
      return proxy.isLive(updated_at) ? { ...proxy, updated_at } : yield* new GatewayProxyEnded()
    })

    const save = SqlSchema.findOne({
      Request: Changed,
      Result: GatewayProxy,
      execute: ({ id, logins, whitelist, ...row }) =>
        sql`
          UPDATE gateway_proxy
          SET ${sql.update({ ...row, logins: sql.json(logins) })}, whitelist = ${whitelist}::inet[]
          WHERE id = ${id} RETURNING *
        `
    })

    const restart = SqlSchema.findOne({
      Request: Terms,
      Result: GatewayProxy,
      execute: ({ id, ...terms }) =>
        sql`
          WITH ended AS (DELETE FROM gateway_lease WHERE proxy_id = ${id})
          UPDATE gateway_proxy SET ${sql.update(terms)}, cycle = cycle + 1, used_bytes = 0, leased_bytes = 0
          WHERE id = ${id} RETURNING *
        `
    })

    return {
      /** A proxy that nobody else changes until the transaction ends. */
      lock,
      /** A locked proxy, to be changed at this moment; one that has ended is not. */
      live,
      lockLive: (id: GatewayProxyId) => Effect.flatMap(lock(id), live),
      save: (proxy: typeof Changed.Type) => Effect.orDie(save(proxy)),
      /** Begins the next cycle, with nothing used and nothing leased. */
      restart: (terms: typeof Terms.Type) => Effect.orDie(restart(terms))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
