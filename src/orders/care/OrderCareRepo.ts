import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, OrderId } from "../Order.ts"

/** An order, with what its provider was asked for and has not answered. */
const CaredOrder = Schema.Struct({
  ...Order.fields,
  /** True while a restriction stops the service of the account, or the proxy has a secret login. */
  is_stopped: Schema.Boolean,
  /** The attempt whose outcome is unknown, or which left a proxy that nobody owns. */
  attempt: Schema.NullOr(Schema.Literals(["open", "abandoned", "orphaned"])),
  /** The pending proxy change: it waits for its call, or the call has no known outcome. */
  change: Schema.NullOr(Schema.Literals(["waiting", "unknown"])),
  is_releasing: Schema.Boolean
})
export type CaredOrder = typeof CaredOrder.Type

const readOrder = Rows.first(CaredOrder)
const readIds = Rows.all(Schema.Struct({ order_id: OrderId }))

export class OrderCareRepo extends Context.Service<OrderCareRepo>()("app/orders/OrderCareRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const find = (id: OrderId) =>
      readOrder(sql`
        SELECT o.*, EXISTS (
          SELECT FROM user_account a WHERE a.id = o.user_id AND (a.access_blocked OR a.service_blocked)
        ) OR EXISTS (SELECT FROM proxy_stop s WHERE s.order_id = o.id) AS is_stopped, (
          SELECT coalesce(outcome, 'open') FROM provisioning_attempt a
          WHERE a.order_id = o.id AND (outcome IS NULL OR outcome IN ('abandoned', 'orphaned'))
          ORDER BY started_at DESC LIMIT 1
        ) AS attempt, (
          SELECT CASE WHEN attempted_at IS NULL THEN 'waiting' ELSE 'unknown' END FROM proxy_change c
          WHERE c.order_id = o.id AND c.status = 'pending'
        ) AS change, EXISTS (SELECT FROM order_release r WHERE r.order_id = o.id) AS is_releasing
        FROM proxy_order o WHERE o.id = ${id}
      `)

    return {
      find,
      /** Locks the order until the transaction ends. A statement that waited for the lock would read older changes. */
      lock: (id: OrderId) =>
        Effect.andThen(Effect.orDie(sql`SELECT FROM proxy_order WHERE id = ${id} FOR UPDATE`), find(id)),

      /** Lets any process work on a paid order from `now` on. */
      provisionAt: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(
          sql`UPDATE proxy_order SET provision_at = ${DateTime.toDate(now)} WHERE id = ${id} AND status = 'paid'`
        ),
      /** Lets any process look a given-up attempt up from `now` on. */
      lookAt: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE provisioning_attempt SET look_at = ${DateTime.toDate(now)} WHERE order_id = ${id} AND outcome = 'abandoned'
        `),
      /** Lets any process settle a pending change from `now` on. */
      settleAt: (id: OrderId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_change SET settle_at = ${DateTime.toDate(now)} WHERE order_id = ${id} AND status = 'pending'
        `),

      /** Records that the proxy of an order shall end, so that it is not renewed. */
      release: (id: OrderId, now: DateTime.Utc, try_at: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH kept AS (UPDATE proxy_order SET auto_renew = false, renew_at = NULL WHERE id = ${id})
          INSERT INTO order_release (order_id, created_at, try_at)
          VALUES (${id}, ${DateTime.toDate(now)}, ${DateTime.toDate(try_at)}) ON CONFLICT DO NOTHING
        `),
      /** Claims proxies that shall end; they are due again at `again`. */
      claimReleases: (now: DateTime.Utc, again: DateTime.Utc, limit: number) =>
        Effect.map(
          readIds(sql`
            UPDATE order_release SET try_at = ${DateTime.toDate(again)} WHERE order_id IN (
              SELECT order_id FROM order_release WHERE try_at <= ${DateTime.toDate(now)}
              ORDER BY try_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING order_id
          `),
          (rows) => rows.map(({ order_id }) => order_id)
        ),
      released: (id: OrderId) => Effect.orDie(sql`DELETE FROM order_release WHERE order_id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
