import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, OrderId } from "../Order.ts"
import type { ProxyDrift } from "./ProxyDrift.ts"

const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(Order))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: OrderId })))

/** What a drift makes of an order. An end that is far again, and later, brings an expiring proxy back to `active`. */
const columns = ({ access, terms }: ProxyDrift, now: DateTime.Utc) => ({
  ...access,
  ...(terms && {
    expires_at: DateTime.toDate(terms.expires_at),
    expiring_at: DateTime.toDate(terms.expiring_at),
    bandwidth_gb: terms.bandwidth_gb,
    ...(terms.is_longer &&
      DateTime.isGreaterThan(terms.expiring_at, now) && {
        proxy_status: "active",
        renew_at: null,
        renewal_failed_at: null
      })
  }),
  ...((access ?? terms) && { updated_at: DateTime.toDate(now) })
})

/** The provider has answered, and is asked again at `next`. */
const answered = (next: DateTime.Utc) => ({ missing_since: null, sync_at: DateTime.toDate(next) })

/** The order after an update; none when it was not made. */
const updated = (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  rows.pipe(
    Effect.flatMap(decodeOrders),
    Effect.map((orders) => Arr.head(orders)),
    Effect.orDie
  )

const live = (sql: PgClient.PgClient) => sql`proxy_status IN ('active', 'expiring')`

/** What a provider's word makes of an order, unless a billed change is under way or was made after `since`. */
const following = (sql: PgClient.PgClient) => {
  const settled = (since: DateTime.Utc) => sql`
    NOT EXISTS (
      SELECT FROM proxy_change c WHERE c.order_id = proxy_order.id
        AND (c.status = 'pending' OR (c.status = 'applied' AND c.updated_at > ${DateTime.toDate(since)}))
    )
  `

  /** A statement sees every change that was charged for before the order was locked; those after wait for it. */
  const locked = (id: OrderId, update: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    updated(sql.withTransaction(Effect.andThen(sql`SELECT FROM proxy_order WHERE id = ${id} FOR UPDATE`, update)))

  return {
    /** Brings a live order to what its provider says; the provider is asked again at `next`. */
    store: (id: OrderId, drift: ProxyDrift, since: DateTime.Utc, now: DateTime.Utc, next: DateTime.Utc) =>
      locked(
        id,
        sql`
          UPDATE proxy_order SET ${sql.update({ ...columns(drift, now), ...answered(next) })}
          WHERE id = ${id} AND ${live(sql)} AND ${settled(since)} RETURNING *
        `
      ),

    /** The proxy is no more, before its time: the order is cancelled with it. */
    cancel: (id: OrderId, since: DateTime.Utc, now: DateTime.Utc) =>
      locked(
        id,
        sql`
          UPDATE proxy_order SET ${sql.update({
            status: "cancelled",
            proxy_status: "cancelled",
            auto_renew: false,
            renew_at: null,
            sync_at: null,
            tags: [],
            updated_at: DateTime.toDate(now)
          })}
          WHERE id = ${id} AND ${live(sql)} AND ${settled(since)} RETURNING *
        `
      )
  }
}

/** When providers are asked how their proxies are. */
const asking = (sql: PgClient.PgClient) => ({
  /** When the provider of a live proxy is asked next. */
  syncAt: (id: OrderId, at: DateTime.Utc) =>
    Effect.orDie(sql`UPDATE proxy_order SET sync_at = ${DateTime.toDate(at)} WHERE id = ${id} AND ${live(sql)}`),

  /** The provider of these orders has said that their proxies changed: the live ones are due. */
  hasten: (provider: string, ids: ReadonlyArray<string>, now: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE proxy_order SET sync_at = ${DateTime.toDate(now)}
      WHERE id = ANY (${ids}::uuid[]) AND provider = ${provider} AND ${live(sql)} AND sync_at > ${DateTime.toDate(now)}
    `),

  /** The provider does not know a live proxy: since when that is so; none when the proxy has ended meanwhile. */
  missing: (id: OrderId, now: DateTime.Utc, next: DateTime.Utc) =>
    sql<{ missing_since: Date }>`
      UPDATE proxy_order
      SET missing_since = COALESCE(missing_since, ${DateTime.toDate(now)}), sync_at = ${DateTime.toDate(next)}
      WHERE id = ${id} AND ${live(sql)} RETURNING missing_since
    `.pipe(
      Effect.map((rows) => Option.map(Arr.head(rows), ({ missing_since }) => DateTime.makeUnsafe(missing_since))),
      Effect.orDie
    ),

  /** Live proxies of a provider that are due to be asked for; they are due again at `until`. */
  claim: (provider: string, now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_order SET sync_at = ${DateTime.toDate(until)}
      WHERE id IN (
        SELECT id FROM proxy_order
        WHERE provider = ${provider} AND ${live(sql)} AND sync_at <= ${DateTime.toDate(now)}
        ORDER BY sync_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      RETURNING id
    `.pipe(
      Effect.flatMap(decodeIds),
      Effect.map((rows) => rows.map(({ id }) => id)),
      Effect.orDie
    )
})

export class ProxiesRepo extends Context.Service<ProxiesRepo>()("app/orders/ProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      ...following(sql),
      ...asking(sql),

      /** How a live proxy is reached, as its provider says, whatever change of its terms is under way. */
      storeAccess: (id: OrderId, access: ProxyDrift["access"], now: DateTime.Utc, next: DateTime.Utc) =>
        updated(sql`
          UPDATE proxy_order SET ${sql.update({ ...columns({ access, terms: null }, now), ...answered(next) })}
          WHERE id = ${id} AND ${live(sql)} RETURNING *
        `),

      setTags: (id: OrderId, tags: ReadonlyArray<string>, now: DateTime.Utc) =>
        updated(sql`
          UPDATE proxy_order SET ${sql.update({ tags, updated_at: DateTime.toDate(now) })}
          WHERE id = ${id} AND ${live(sql)} RETURNING *
        `),

      /** Whether a billed change of the proxy waits for its provider. */
      hasPendingChange: (id: OrderId) =>
        Rows.any(sql`SELECT FROM proxy_change WHERE order_id = ${id} AND status = 'pending'`),

      /** The account was deleted and may have orders left to end. */
      isClosing: (user: UserId) =>
        Effect.orDie(Effect.map(sql`SELECT FROM account_closure WHERE user_id = ${user}`, (rows) => rows.length > 0)),

      /** When the proxy was last given another address. */
      setRotated: (id: OrderId, at: DateTime.Utc | null) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET rotated_at = ${at === null ? null : DateTime.toDate(at)} WHERE id = ${id}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
