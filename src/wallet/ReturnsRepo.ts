import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { ReturnablePayment } from "./ReturnablePayment.ts"

const Paid = Schema.Struct({ paid: Schema.BigInt })

/** Payments that can be returned, and the money that came from outside. */
export class ReturnsRepo extends Context.Service<ReturnsRepo>()("app/wallet/ReturnsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const payments = Rows.all(ReturnablePayment)
    const paid = Rows.first(Paid)

    return {
      /** Lists the payments of an order that were not undone, the newest first. */
      payments: (order_id: string) =>
        payments(sql`
          SELECT p.id, p.reference, p.currency, -p.amount AS amount, p.sandbox_before - p.sandbox_after AS sandbox,
            coalesce(sum(r.amount), 0)::bigint AS returned,
            coalesce(sum(r.sandbox_after - r.sandbox_before), 0)::bigint AS returned_sandbox
          FROM wallet_transaction p LEFT JOIN wallet_transaction r ON r.refunded_transaction_id = p.id
          WHERE p.order_id = ${order_id} AND p.transaction_type = 'payment' AND p.status = 'completed'
          GROUP BY p.id HAVING count(r.id) FILTER (WHERE r.cause IS NULL) = 0 ORDER BY p.seq DESC
        `),

      /**
       * Given money is spent first: what is left of it is what was given, less what was spent. The rest of the balance was
       * paid. Sandbox money counts nowhere.
       */
      paidMoney: (owner: UserId, currency: Currency) =>
        paid(sql`
          SELECT balance - greatest(0, least(balance, given - (moved - balance)))::bigint AS paid
          FROM (
            SELECT (w.balance - w.sandbox_balance) AS balance,
              coalesce(sum(t.amount - t.sandbox_after + t.sandbox_before), 0)::bigint AS moved,
              coalesce(sum(t.amount) FILTER (WHERE t.cause IN ('goodwill', 'goodwill_revoked')
                OR (t.reference LIKE 'referral:%' AND t.sandbox_after = t.sandbox_before)), 0)::bigint AS given
            FROM wallet w LEFT JOIN wallet_transaction t ON t.wallet_id = w.id AND t.status = 'completed'
              AND t.transaction_type IN ('deposit', 'withdrawal')
            WHERE w.user_id = ${owner} AND w.currency = ${currency} GROUP BY w.id
          ) money
        `).pipe(Effect.map(Option.match({ onNone: () => 0n, onSome: (row) => row.paid })))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
