import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { Order, type OrderId } from "../Order.ts"

const firstOrder = Rows.first(Order)
const allOrders = Rows.all(Order)
const firstFailure = Rows.first(Schema.Struct({ is_first: Schema.Boolean }))

/** The price and the length of the term that an order was last sold for, without a discount and without extra traffic. */
const LastTerm = Schema.Struct({
  currency: Currency,
  total: Schema.BigInt,
  total_usd: Schema.BigInt,
  period_days: Schema.Int,
  period_months: Schema.Int,
  /** The bound of the operator, in hundredths of a percent. */
  announce_above: Schema.Int
})
export type LastTerm = typeof LastTerm.Type
const oneTerm = Rows.one(LastTerm)

/** The bound of a shop that has not set one: 20 percent. */
const announceAbove = 2000

/** The price that a customer knows of, and the time from which the renewal may be charged. */
export interface Announcement {
  readonly currency: Currency
  readonly total: bigint
  readonly renews_from: DateTime.Utc
}

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

      /** Claims the due renewals until `lease`. A deleted account, and one that may not spend, renew nothing. */
      claim: (now: DateTime.Utc, lease: DateTime.Utc, limit: number) =>
        sql`
          UPDATE proxy_order SET renew_at = ${DateTime.toDate(lease)}
          WHERE id IN (
            SELECT id FROM proxy_order
            WHERE proxy_status = 'expiring' AND auto_renew
              AND (renew_at IS NULL OR renew_at <= ${DateTime.toDate(now)})
              AND expires_at > ${DateTime.toDate(now)}
              AND EXISTS (SELECT FROM user_account a WHERE a.id = proxy_order.user_id AND a.deleted_at IS NULL)
              AND NOT EXISTS (SELECT FROM wallet w WHERE w.user_id = proxy_order.user_id AND w.spending_blocked)
            ORDER BY renew_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING *
        `.pipe(allOrders),

      /** True while a restriction keeps the account from spending. */
      isBlocked: (user_id: UserId) =>
        Rows.any(sql`SELECT FROM wallet WHERE user_id = ${user_id} AND spending_blocked LIMIT 1`),

      /** The last applied extension of an order, else its purchase. */
      lastTerm: (id: OrderId) =>
        oneTerm(sql`
          SELECT currency, total, total_usd, period_days, period_months,
            coalesce((SELECT announce_above FROM shop_state), ${announceAbove}) AS announce_above
          FROM (
            SELECT currency, total, total_usd, period_days, period_months, created_at AS extended_at
            FROM proxy_change WHERE order_id = ${id} AND status = 'applied' AND kind <> 'traffic' AND origin <> 'staff'
            UNION ALL
            SELECT currency, total + discount - coalesce(extra_total, 0),
              total_usd + discount_usd - coalesce(extra_total_usd, 0), period_days, period_months, NULL
            FROM proxy_order WHERE id = ${id}
          ) term
          ORDER BY extended_at DESC NULLS LAST LIMIT 1
        `),

      /** Stores the announced price of a renewal, which is then due at \`renews_from\`. */
      announce: (id: OrderId, { currency, renews_from, total }: Announcement) =>
        Effect.orDie(sql`
          UPDATE proxy_order SET announced_total = ${total}, announced_currency = ${currency},
            renews_from = ${DateTime.toDate(renews_from)}, renew_at = ${DateTime.toDate(renews_from)}
          WHERE id = ${id} AND auto_renew AND proxy_status = 'expiring'
        `),

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
