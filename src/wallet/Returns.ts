import { Context, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { ReturnablePayment } from "./ReturnablePayment.ts"
import { ReturnsRepo } from "./ReturnsRepo.ts"
import { newTransactionId } from "./WalletTransaction.ts"

interface Return {
  readonly user_id: UserId
  readonly order_id: string
  readonly payment: ReturnablePayment
  /** Greater than zero, and at most what was not returned. */
  readonly amount: bigint
  /** True: the payment is undone. False: it is returned in whole or in part, and stands. */
  readonly is_undone: boolean
  readonly reference: string
  readonly description: string
}

const least = (one: bigint, other: bigint) => (other < one ? other : one)

/** Returns payments of orders to their wallets, whole or in parts. Runs in the caller's transaction, with the wallets locked. */
export class Returns extends Context.Service<
  Returns,
  {
    /** The payments for an order and its changes that stand, the newest first, with the part of each that was returned. */
    readonly payments: (order_id: string) => Effect.Effect<ReadonlyArray<ReturnablePayment>>
    /** Books the return, and answers the id of its entry. */
    readonly book: (given: Return) => Effect.Effect<ReturnablePayment["id"]>
    /** The part of a wallet that was paid from outside, as if given money was spent first. */
    readonly paidMoney: (owner: UserId, currency: Currency) => Effect.Effect<bigint>
  }
>()("app/wallet/Returns") {
  static readonly layerNoDeps = Layer.effect(
    Returns,
    Effect.gen(function* () {
      const ledger = yield* LedgerRepo
      const repo = yield* ReturnsRepo

      const book = Effect.fn("Returns.book")(function* ({ amount, is_undone, payment, user_id, ...given }: Return) {
        const id = yield* newTransactionId
        // Sandbox money returns first, so that a part of a payment never makes real money of it.
        const sandbox = least(payment.sandbox, payment.returned + amount) - payment.returned_sandbox
        const entry = {
          ...given,
          id,
          transaction_type: "refund" as const,
          amount,
          amount_usd: null,
          payment_method: "wallet",
          external_id: null,
          refunded_transaction_id: payment.id,
          api_key_id: null,
          grant_id: null,
          ...(!is_undone && { cause: "returned" as const })
        }
        if (yield* ledger.book({ user_id, currency: payment.currency, entries: [entry], sandbox })) return id
        return yield* Effect.die(`${given.reference} could not be returned`)
      })

      return Returns.of({ book, payments: repo.payments, paidMoney: repo.paidMoney })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([LedgerRepo.layer, ReturnsRepo.layer]))
}
