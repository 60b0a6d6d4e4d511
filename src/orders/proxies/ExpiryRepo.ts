import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Order } from "../Order.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Order))

/** A change under way may yet give the proxy more time. */
const settled = (sql: SqlClient.SqlClient) => sql`
  NOT EXISTS (SELECT FROM proxy_change c WHERE c.order_id = proxy_order.id AND c.status = 'pending')
`

/** Each batch is one transaction of the caller's; what another instance holds is skipped. */
export class ExpiryRepo extends Context.Service<ExpiryRepo>()("app/orders/ExpiryRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** `active` to `expiring`, which auto-renew takes up at once; answers the orders that moved. */
      markExpiring: (now: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET proxy_status = 'expiring', updated_at = ${DateTime.toDate(now)},
            renew_at = CASE WHEN auto_renew THEN ${DateTime.toDate(now)}::timestamptz END
          WHERE id IN (
            SELECT id FROM proxy_order WHERE proxy_status = 'active' AND expiring_at <= ${DateTime.toDate(now)}
            ORDER BY expiring_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING *
        `.pipe(Effect.flatMap(decode), Effect.orDie),

      /** Locks proxies whose time is over; a change that comes in from here on waits. */
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
       * `expiring` to `expired`, the order with it. Asks again for changes under way: one may have been paid for
       * between the locking statement's snapshot and its lock.
       */
      markExpired: (ids: ReadonlyArray<string>, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET proxy_status = 'expired', status = 'expired', updated_at = ${DateTime.toDate(now)}
          WHERE ${sql.in("id", ids)} AND ${settled(sql)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
