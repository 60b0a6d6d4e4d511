import { Context, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import { descriptions } from "./EntryDescription.ts"
import { type Debt, ReversalDebtsRepo } from "./ReversalDebtsRepo.ts"
import { Wallets } from "./Wallets.ts"
import { newTransactionId } from "./WalletTransaction.ts"

/** Real money that came back to a wallet. */
interface Back {
  readonly user_id: UserId
  readonly currency: Currency
  readonly amount: bigint
}

const least = (one: bigint, other: bigint) => (other < one ? other : one)

/** Debts: money that refunds and disputes did not find in a wallet. Runs in the caller's transaction, with the wallets locked. */
export class ReversalDebts extends Context.Service<
  ReversalDebts,
  {
    /** Pays open debts with money that came back to the wallet. */
    readonly collect: (back: Back) => Effect.Effect<void>
  }
>()("app/wallet/ReversalDebts") {
  static readonly layerNoDeps = Layer.effect(
    ReversalDebts,
    Effect.gen(function* () {
      const repo = yield* ReversalDebtsRepo
      const wallets = yield* Wallets

      const pay = Effect.fnUntraced(function* (debt: Debt, { amount: at_most, ...wallet }: Back) {
        const id = yield* newTransactionId
        const amount = yield* wallets.withdraw({
          ...wallet,
          id,
          at_most,
          reference: `reversal:${debt.payment_method}:${debt.reversal_id}:${id}`,
          description: debt.kind === "refund" ? descriptions.refunded : descriptions.disputed,
          is_sandbox: false
        })
        if (amount > 0n) yield* repo.insert(debt, { ...wallet, debit_id: id, amount })
        return amount
      })

      const collect = Effect.fn("ReversalDebts.collect")(function* (back: Back) {
        let left = back.amount
        for (const debt of yield* repo.open(back.user_id, back.currency)) {
          if (left === 0n) return
          left -= yield* pay(debt, { ...back, amount: least(debt.short, left) })
        }
      })

      return ReversalDebts.of({ collect })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ReversalDebtsRepo.layer))
}
