import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { Order, OrderId } from "./Order.ts"
import type { ProxyDrift } from "./ProxyDrift.ts"

const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Order))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: OrderId })))

/** What a drift makes of an order. An end that is far again brings an expiring proxy back to `active`. */
const columns = ({ access, terms }: ProxyDrift, now: DateTime.Utc) => ({
  ...access,
  ...(terms && {
    expires_at: DateTime.toDate(terms.expires_at),
    expiring_at: DateTime.toDate(terms.expiring_at),
    bandwidth_gb: terms.bandwidth_gb,
    ...(DateTime.isGreaterThan(terms.expiring_at, now) && {
      proxy_status: "active",
      renew_at: null,
      renewal_failed_at: null
    })
  }),
  ...((access ?? terms) && { updated_at: DateTime.toDate(now) })
})

/** The order after an update; none when its proxy has ended meanwhile. */
const updated = (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  rows.pipe(
    Effect.flatMap(decodeOrders),
    Effect.map((orders) => Arr.head(orders)),
    Effect.orDie
  )

export class ProxiesRepo extends Context.Service<ProxiesRepo>()("app/orders/ProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const live = sql`proxy_status IN ('active', 'expiring')`

    return {
      /** Brings a live order to what its provider says; the provider is asked again at `next`. */
      store: (id: OrderId, drift: ProxyDrift, now: DateTime.Utc, next: DateTime.Utc, rotated_at?: DateTime.Utc) =>
        updated(sql`
          UPDATE proxy_order SET ${sql.update({
            ...columns(drift, now),
            ...(rotated_at && { rotated_at: DateTime.toDate(rotated_at) }),
            sync_at: DateTime.toDate(next)
          })}
          WHERE id = ${id} AND ${live} RETURNING *
        `),

      setTags: (id: OrderId, tags: ReadonlyArray<string>, now: DateTime.Utc) =>
        updated(sql`
          UPDATE proxy_order SET ${sql.update({ tags, updated_at: DateTime.toDate(now) })}
          WHERE id = ${id} AND ${live} RETURNING *
        `),

      /** The proxy is no more, before its time: the order is cancelled with it. */
      cancel: (id: OrderId, now: DateTime.Utc) =>
        updated(sql`
          UPDATE proxy_order SET ${sql.update({
            status: "cancelled",
            proxy_status: "cancelled",
            auto_renew: false,
            renew_at: null,
            sync_at: null,
            tags: [],
            updated_at: DateTime.toDate(now)
          })}
          WHERE id = ${id} AND ${live} RETURNING *
        `),

      /** When the provider of a live proxy is asked next how it is. */
      syncAt: (id: OrderId, at: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE proxy_order SET sync_at = ${DateTime.toDate(at)} WHERE id = ${id} AND ${live}`),

      /** Live proxies of a provider that are due to be asked for; they are due again at `until`. */
      claim: (provider: string, now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET sync_at = ${DateTime.toDate(until)}
          WHERE id IN (
            SELECT id FROM proxy_order
            WHERE provider = ${provider} AND ${live} AND sync_at <= ${DateTime.toDate(now)}
            ORDER BY sync_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING id
        `.pipe(
          Effect.flatMap(decodeIds),
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
