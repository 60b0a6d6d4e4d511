import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Wakes } from "../../platform/postgres/Wakes.ts"
import { Order } from "../Order.ts"

const readOrders = Rows.all(Order)

/** True when no proxy change is pending. A pending change may still give the proxy more time. */
const settled = (sql: SqlClient.SqlClient) => sql`
  NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = proxy_order.id AND c.status = 'pending')
`

/** The caller runs each batch in one transaction. A batch skips the rows that another instance holds. */
export class ExpiryRepo extends Context.Service<ExpiryRepo>()("app/orders/ExpiryRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { wake } = yield* Wakes

    return {
      /**
       * Moves proxies from `active` to `expiring`, which makes auto-renew due immediately. Returns the moved orders.
       */
      markExpiring: (now: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET proxy_status = 'expiring', updated_at = ${DateTime.toDate(now)},
            renew_at = CASE WHEN auto_renew THEN ${DateTime.toDate(now)}::timestamptz END
          WHERE id IN (
            SELECT id FROM proxy_order WHERE proxy_status = 'active' AND expiring_at <= ${DateTime.toDate(now)}
            ORDER BY expiring_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING *
        `.pipe(
          readOrders,
          Effect.tap((orders) =>
            wake(
              "proxy_status",
              orders.map(({ id }) => id)
            )
          )
        ),

      /** Locks proxies whose time is over. A later proxy change waits for the lock. */
      lockExpired: (now: DateTime.Utc, limit: number) =>
        sql<{ id: string }>`
          SELECT id FROM proxy_order
          WHERE proxy_status = 'expiring' AND expires_at <= ${DateTime.toDate(now)} AND ${settled(sql)}
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        `.pipe(
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.orDie
        ),

      /**
       * Moves proxies from `expiring` to `expired`, together with their orders. Checks again for pending changes,
       * because one may have been charged between the snapshot of the locking statement and its lock.
       */
      markExpired: (ids: ReadonlyArray<string>, now: DateTime.Utc) =>
        sql`
          UPDATE proxy_order SET proxy_status = 'expired', status = 'expired', updated_at = ${DateTime.toDate(now)}
          WHERE ${sql.in("id", ids)} AND ${settled(sql)}
        `.pipe(Effect.andThen(wake("proxy_status", ids)), Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
