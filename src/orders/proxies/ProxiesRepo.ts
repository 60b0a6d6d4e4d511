import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import { Order, OrderId } from "../Order.ts"
import type { ProxyDrift } from "./ProxyDrift.ts"

const readIds = Rows.all(Schema.Struct({ id: OrderId }))

/** The columns that a drift changes. A later end that is far enough makes an expiring proxy `active` again. */
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
        renewal_failed_at: null,
        announced_total: null,
        announced_currency: null,
        renews_from: null
      })
  }),
  ...((access ?? terms) && { updated_at: DateTime.toDate(now) })
})

/** The columns that change with every answer of the provider; the sync asks the provider again at `next`. */
const answered = (next: DateTime.Utc) => ({ missing_since: null, sync_at: DateTime.toDate(next) })

/** The order after an update; none when the update changed no row. */
const updated = Rows.first(Order)

const live = (sql: PgClient.PgClient) => sql`proxy_status IN ('active', 'expiring')`

/** Stores the answers of providers, unless a proxy change is pending or was applied after `since`. */
const following = (sql: PgClient.PgClient, { wake }: Wakes["Service"]) => {
  const settled = (since: DateTime.Utc) => sql`
    NOT EXISTS (
      SELECT FROM proxy_change c WHERE c.order_id = proxy_order.id
        AND (c.status = 'pending' OR (c.status = 'applied' AND c.updated_at > ${DateTime.toDate(since)}))
    )
  `

  /** Locks the order first: the update then sees every change that was charged before; later changes wait. */
  const locked = (id: OrderId, update: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    updated(sql.withTransaction(Effect.andThen(sql`SELECT FROM proxy_order WHERE id = ${id} FOR UPDATE`, update)))

  return {
    /** Stores the state of a live proxy. The sync asks the provider again at `next`. */
    store: (id: OrderId, drift: ProxyDrift, since: DateTime.Utc, now: DateTime.Utc, next: DateTime.Utc) =>
      locked(
        id,
        sql`
          UPDATE proxy_order SET ${sql.update({ ...columns(drift, now), ...answered(next) })}
          WHERE id = ${id} AND ${live(sql)} AND ${settled(since)} RETURNING *
        `
      ).pipe(Effect.tap(wake("proxy_status", drift.terms?.is_longer === true ? [id] : []))),

    /** Cancels the order of a proxy that ended early. */
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
      ).pipe(Effect.tap(wake("proxy_status", [id])))
  }
}

/** Schedules the syncs with the providers. */
const asking = (sql: PgClient.PgClient) => ({
  /** Sets the time of the next sync of a live proxy. */
  syncAt: (id: OrderId, at: DateTime.Utc) =>
    Effect.orDie(sql`UPDATE proxy_order SET sync_at = ${DateTime.toDate(at)} WHERE id = ${id} AND ${live(sql)}`),

  /** Makes the sync of live proxies due, because their provider reports a change. */
  hasten: (provider: string, ids: ReadonlyArray<string>, now: DateTime.Utc) =>
    Effect.orDie(sql`
      UPDATE proxy_order SET sync_at = ${DateTime.toDate(now)}
      WHERE id = ANY (${ids}::uuid[]) AND provider = ${provider} AND ${live(sql)} AND sync_at > ${DateTime.toDate(now)}
    `),

  /**
   * Records that the provider does not know a live proxy. Returns the time of the first such record; none when the
   * proxy has ended.
   */
  missing: (id: OrderId, now: DateTime.Utc, next: DateTime.Utc) =>
    sql<{ missing_since: Date }>`
      UPDATE proxy_order
      SET missing_since = COALESCE(missing_since, ${DateTime.toDate(now)}), sync_at = ${DateTime.toDate(next)}
      WHERE id = ${id} AND ${live(sql)} RETURNING missing_since
    `.pipe(
      Effect.map((rows) => Option.map(Arr.head(rows), ({ missing_since }) => DateTime.makeUnsafe(missing_since))),
      Effect.orDie
    ),

  /** Claims live proxies of a provider whose sync is due. They are due again at `until`. A stopped proxy has a secret login. */
  claim: (provider: string, now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
    sql`
      UPDATE proxy_order SET sync_at = ${DateTime.toDate(until)}
      WHERE id IN (
        SELECT id FROM proxy_order
        WHERE provider = ${provider} AND ${live(sql)} AND sync_at <= ${DateTime.toDate(now)}
          AND NOT EXISTS (SELECT FROM proxy_stop s WHERE s.order_id = proxy_order.id)
        ORDER BY sync_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      RETURNING id
    `.pipe(
      readIds,
      Effect.map((rows) => rows.map(({ id }) => id))
    )
})

export class ProxiesRepo extends Context.Service<ProxiesRepo>()("app/orders/ProxiesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return {
      ...following(sql, yield* Wakes),
      ...asking(sql),

      /** Stores the access to a live proxy, even while a proxy change is pending. */
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

      /** True when a proxy change waits for the provider. */
      hasPendingChange: (id: OrderId) =>
        Rows.any(sql`SELECT FROM proxy_change WHERE order_id = ${id} AND status = 'pending'`),

      /** True when the account was deleted and may still have live orders. */
      isClosing: (user: UserId) => Rows.any(sql`SELECT FROM account_closure WHERE user_id = ${user}`),

      /** Stores the time of the last rotation. */
      setRotated: (id: OrderId, at: DateTime.Utc | null) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET rotated_at = ${at === null ? null : DateTime.toDate(at)} WHERE id = ${id}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
