import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, type OrderId } from "../Order.ts"

const firstOrder = Rows.first(Order)
const allOrders = Rows.all(Order)
const firstFailure = Rows.first(Schema.Struct({ is_first: Schema.Boolean }))

export class AutoRenewalRepo extends Context.Service<AutoRenewalRepo>()("app/orders/AutoRenewalRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Switches auto-renew of a live proxy; an expiring proxy is due immediately. None when the proxy has ended. */
      set: (id: OrderId, enabled: boolean, now: DateTime.Utc) =>
        sql`
          UPDATE proxy_order SET auto_renew = ${enabled}, updated_at = ${DateTime.toDate(now)},
            renew_at = CASE WHEN ${enabled} AND proxy_status = 'expiring'
              THEN ${DateTime.toDate(now)}::timestamptz END
          WHERE id = ${id} AND proxy_status IN ('active', 'expiring') AND expires_at > ${DateTime.toDate(now)}
          RETURNING *
        `.pipe(firstOrder),

      /** Claims the due renewals until `lease`; a deleted account renews nothing. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET renew_at = ${DateTime.toDate(lease)}
          WHERE id IN (
            SELECT id FROM proxy_order
            WHERE proxy_status = 'expiring' AND auto_renew
              AND (renew_at IS NULL OR renew_at <= ${DateTime.toDate(now)})
              AND expires_at > ${DateTime.toDate(now)}
              AND EXISTS (SELECT FROM user_account a WHERE a.id = proxy_order.user_id AND a.deleted_at IS NULL)
            ORDER BY renew_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING *
        `.pipe(allOrders),

      /** Makes a failed renewal due again at `again`; true for the first failure of the cycle. */
      putOff: (id: OrderId, now: DateTime.Utc, again: DateTime.Utc) =>
        sql`
          UPDATE proxy_order o SET renewal_failed_at = coalesce(o.renewal_failed_at, ${DateTime.toDate(now)}),
            renew_at = CASE WHEN auto_renew THEN ${DateTime.toDate(again)}::timestamptz END
          FROM (
            SELECT id, renewal_failed_at IS NULL AS is_first FROM proxy_order
            WHERE id = ${id} AND proxy_status = 'expiring' FOR UPDATE
          ) failed
          WHERE o.id = failed.id RETURNING failed.is_first
        `.pipe(
          firstFailure,
          Effect.map((row) => Option.exists(row, ({ is_first }) => is_first))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
