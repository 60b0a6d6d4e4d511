import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import { PaymentReversal } from "./PaymentReversal.ts"
import * as Rows from "./Rows.ts"
import type { WalletTransactionId } from "./WalletTransaction.ts"

const Charge = Schema.Struct({ user_id: UserId, currency: Currency, amount: Schema.BigInt })
const Sum = Schema.Struct({ sum: Schema.BigInt })

type Written = Omit<PaymentReversal, "lifted_at" | "created_at"> & {
  readonly debit_id: WalletTransactionId | null
}

/** Refunds and disputes of charges. */
export class PaymentReversalsRepo extends Context.Service<PaymentReversalsRepo>()("app/wallet/PaymentReversalsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(PaymentReversal)
    const charge = Rows.first(Charge)
    const first = Rows.first(PaymentReversal)
    const sum = Rows.first(Sum)

    /** Inserts a reversal that is not known, or notes that the money of an announced one was taken. */
    const write = Effect.fnUntraced(function* (reversal: Written) {
      const now = DateTime.toDate(yield* DateTime.now)
      const row = { ...reversal, created_at: now, updated_at: now }
      yield* sql`
        INSERT INTO payment_reversal ${sql.insert(row)}
        ON CONFLICT (payment_method, reversal_id) DO UPDATE
        SET status = excluded.status, amount = excluded.amount, debited = excluded.debited, debit_id = excluded.debit_id,
          updated_at = excluded.updated_at
      `
    }, Effect.orDie)

    const giveBack = Effect.fnUntraced(function* (
      { payment_method, reversal_id }: PaymentReversal,
      return_id: WalletTransactionId | null
    ) {
      const change = { status: "returned", return_id, updated_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`
        UPDATE payment_reversal SET ${sql.update(change)}
        WHERE payment_method = ${payment_method} AND reversal_id = ${reversal_id}
      `
    }, Effect.orDie)

    return {
      charge: (method: PaymentMethod, charge_id: string) =>
        charge(sql`
          SELECT user_id, currency, amount FROM payment_charge
          WHERE payment_method = ${method} AND charge_id = ${charge_id}
        `),
      find: (method: PaymentMethod, reversal_id: string) =>
        first(sql`
          SELECT * FROM payment_reversal WHERE payment_method = ${method} AND reversal_id = ${reversal_id} FOR UPDATE
        `),
      /** The amount of a charge that the gateway has taken back so far. */
      taken: (method: PaymentMethod, charge_id: string) =>
        sum(sql`
          SELECT coalesce(sum(amount), 0)::bigint AS sum FROM payment_reversal
          WHERE payment_method = ${method} AND charge_id = ${charge_id} AND status = 'taken'
        `).pipe(Effect.map(Option.match({ onNone: () => 0n, onSome: ({ sum }) => sum }))),
      write,
      giveBack,
      /** Reversals that stop purchases, the oldest first. */
      open: (limit: number) =>
        all(sql`
          SELECT * FROM payment_reversal WHERE lifted_at IS NULL AND status <> 'returned'
          ORDER BY created_at LIMIT ${limit}
        `),
      /** Answers the number of reversals that it lifted. */
      lift: (user_id: UserId, now: DateTime.Utc) =>
        Effect.orDie(
          Effect.map(
            sql`
              UPDATE payment_reversal SET lifted_at = ${DateTime.toDate(now)}
              WHERE user_id = ${user_id} AND lifted_at IS NULL AND status <> 'returned' RETURNING reversal_id
            `,
            (rows) => rows.length
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
