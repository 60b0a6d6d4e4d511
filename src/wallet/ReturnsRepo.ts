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
       * Given money is spent first, from the time it was given: what is left of it is its running sum, less what was spent,
       * which never falls below zero. A payment counts less what was returned of it. The rest of the balance was paid. Sandbox
       * money counts nowhere.
       */
      paidMoney: (owner: UserId, currency: Currency) =>
        paid(sql`
          SELECT money.balance - greatest(0, least(money.balance, coalesce(given.remaining, 0)))::bigint AS paid
          FROM (
            SELECT id, balance - sandbox_balance AS balance FROM wallet WHERE user_id = ${owner} AND currency = ${currency}
          ) money
          LEFT JOIN LATERAL (
            SELECT (array_agg(total ORDER BY seq DESC))[1] - least(0, min(total)) AS remaining
            FROM (
              SELECT t.seq, sum(t.amount - t.sandbox_after + t.sandbox_before + coalesce(r.returned, 0)) OVER (ORDER BY t.seq)
                AS total
              FROM wallet_transaction t LEFT JOIN LATERAL (
                SELECT sum(r.amount - r.sandbox_after + r.sandbox_before) AS returned FROM wallet_transaction r
                WHERE t.transaction_type = 'payment' AND r.refunded_transaction_id = t.id AND r.status = 'completed'
              ) r ON true
              WHERE t.wallet_id = money.id AND t.status = 'completed' AND (t.transaction_type = 'payment'
                OR t.cause IN ('goodwill', 'goodwill_revoked', 'warranty') OR t.reference LIKE 'referral:%')
            ) entries
            WHERE EXISTS (
              SELECT FROM wallet_transaction g WHERE g.wallet_id = money.id AND g.transaction_type = 'deposit'
                AND (g.cause IN ('goodwill', 'warranty') OR g.reference LIKE 'referral:%')
            )
          ) given ON true
        `).pipe(Effect.map(Option.match({ onNone: () => 0n, onSome: (row) => row.paid })))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
