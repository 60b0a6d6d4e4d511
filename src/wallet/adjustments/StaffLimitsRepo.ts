import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import type { Currency } from "../../platform/Money.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { MoneyActor } from "./MoneyActor.ts"
import { LimitAmounts, type LimitName, StaffLimit } from "./StaffLimit.ts"

const Moved = Schema.Struct({ of_customer: Schema.BigInt, of_order: Schema.BigInt, of_staff: Schema.BigInt })

/** An action of staff that is counted. `amount` is positive. */
export interface Limited {
  readonly action: LimitName["action"]
  readonly currency: Currency
  readonly amount: bigint
  readonly user_id: UserId
  /** The order that a refund returns; null for other actions. The caller has locked it. */
  readonly order_id: string | null
}

/** The limits of the roles, and the money that was moved within them. */
export class StaffLimitsRepo extends Context.Service<StaffLimitsRepo>()("app/wallet/StaffLimitsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const limit = Rows.first(LimitAmounts)
    const whole = Rows.first(StaffLimit)
    const moved = Rows.one(Moved)

    return {
      /** Makes the actions of one person, or for one customer, wait for each other until the transaction ends. */
      lock: (id: string) =>
        Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`staff_limit:${id}`}, 0))`),

      all: Rows.all(StaffLimit)(sql`
        SELECT role, action, currency, per_action, per_customer_30d, per_staff_day FROM staff_limit
      `),

      /** Reads a limit, and makes other changes of it wait until the transaction ends. */
      locked: ({ action, currency, role }: LimitName) =>
        whole(sql`
          SELECT role, action, currency, per_action, per_customer_30d, per_staff_day FROM staff_limit
          WHERE role = ${role} AND action = ${action} AND currency = ${currency} FOR UPDATE
        `),

      set: ({ action, currency, role }: LimitName, amounts: LimitAmounts) => {
        const { per_action, per_customer_30d, per_staff_day } = amounts
        const row = { role, action, currency, per_action, per_customer_30d, per_staff_day }
        return Effect.orDie(sql`
          INSERT INTO staff_limit ${sql.insert(row)}
          ON CONFLICT (role, action, currency) DO UPDATE SET (per_action, per_customer_30d, per_staff_day)
            = (excluded.per_action, excluded.per_customer_30d, excluded.per_staff_day)
        `)
      },

      remove: ({ action, currency, role }: LimitName) =>
        Effect.orDie(sql`
          DELETE FROM staff_limit WHERE role = ${role} AND action = ${action} AND currency = ${currency}
        `),

      limit: ({ role }: MoneyActor, { action, currency }: Limited) =>
        limit(sql`
          SELECT per_action, per_customer_30d, per_staff_day FROM staff_limit
          WHERE role = ${role} AND action = ${action} AND currency = ${currency}
        `),

      /**
       * Sums the requested and booked money of an action: of the customer in 30 days, and of the person since midnight UTC.
       * Given time counts as goodwill.
       * The sum of the order has its refunds to the wallet and to the gateway, by all people.
       */
      moved: ({ id }: MoneyActor, { action, currency, order_id, user_id }: Limited, now: DateTime.Utc) => {
        const month = DateTime.toDate(DateTime.subtract(now, { days: 30 }))
        const day = DateTime.toDate(DateTime.startOf(now, "day"))
        const records = sql`
          SELECT user_id, created_by, created_at, abs(amount) AS amount FROM wallet_adjustment
          WHERE currency = ${currency} AND status IN ('requested', 'booked')
            AND CASE cause WHEN 'goodwill' THEN 'goodwill' ELSE 'correction' END = ${action}
          UNION ALL
          SELECT user_id, created_by, created_at, amount FROM order_refund
          WHERE currency = ${currency} AND status IN ('requested', 'booked') AND 'refund_' || destination = ${action}
          UNION ALL
          SELECT user_id, approved_by, approved_at, amount FROM payout
          WHERE currency = ${currency} AND status IN ('approved', 'sent') AND 'payout' = ${action}
          UNION ALL
          SELECT o.user_id, c.given_by_id, c.created_at, c.given_value_usd
          FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
          WHERE c.origin = 'staff' AND c.status <> 'refused' AND ('USD', 'goodwill') = (${currency}, ${action})
        `
        return moved(sql`
          SELECT
            (SELECT coalesce(sum(amount), 0)::bigint FROM (${records}) r
             WHERE user_id = ${user_id} AND created_at > ${month}) AS of_customer,
            (SELECT coalesce(sum(amount), 0)::bigint FROM order_refund
             WHERE order_id = ${order_id} AND currency = ${currency} AND status IN ('requested', 'booked')) AS of_order,
            (SELECT coalesce(sum(amount), 0)::bigint FROM (${records}) r
             WHERE created_by = ${id} AND created_at >= ${day}) AS of_staff
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
