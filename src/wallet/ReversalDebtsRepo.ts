import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { PaymentMethod } from "./PaymentMethod.ts"
import type { WalletTransactionId } from "./WalletTransaction.ts"

/** A refund or dispute whose wallet did not have all the money: `short` is what is missing for its charge. */
const Debt = Schema.Struct({
  payment_method: PaymentMethod,
  reversal_id: Schema.String,
  kind: Schema.Literals(["refund", "dispute"]),
  short: Schema.BigInt
})
export type Debt = typeof Debt.Type

interface Debit {
  readonly debit_id: WalletTransactionId
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
}

const debtsAtMost = 100

export class ReversalDebtsRepo extends Context.Service<ReversalDebtsRepo>()("app/wallet/ReversalDebtsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Debt)

    return {
      /** The debts of real money that stop the purchases of an account, one for each charge. */
      open: (user_id: UserId, currency: Currency) =>
        all(sql`
          SELECT DISTINCT ON (r.payment_method, r.charge_id) r.payment_method, r.reversal_id, r.kind, t.short
          FROM payment_reversal r JOIN payment_charge c USING (payment_method, charge_id)
          CROSS JOIN LATERAL (
            SELECT claimed - held AS short FROM payment_taken_back b
            WHERE b.payment_method = r.payment_method AND b.charge_id = r.charge_id
          ) t
          WHERE r.user_id = ${user_id} AND r.currency = ${currency} AND r.status = 'taken'
            AND r.lifted_at IS NULL AND NOT c.is_sandbox AND t.short > 0
          ORDER BY r.payment_method, r.charge_id, r.created_at LIMIT ${debtsAtMost}
        `),

      insert: Effect.fnUntraced(function* ({ payment_method, reversal_id }: Debt, debit: Debit) {
        const created_at = DateTime.toDate(yield* DateTime.now)
        yield* sql`
          INSERT INTO payment_reversal_debit ${sql.insert({ ...debit, payment_method, reversal_id, created_at })}
        `
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
