import { Context, Effect, Layer, Option } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import type { Page } from "../platform/fields/Page.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import { TransactionNotFound, TransactionOfAnotherUser } from "./WalletErrors.ts"
import type { WalletTransaction, WalletTransactionId } from "./WalletTransaction.ts"

/** Reads the ledger entries of an account. */
export class WalletTransactions extends Context.Service<
  WalletTransactions,
  {
    readonly list: (owner: UserId, currency: Currency, page: Page) => Effect.Effect<ReadonlyArray<WalletTransaction>>
    readonly get: (
      owner: UserId,
      id: WalletTransactionId
    ) => Effect.Effect<WalletTransaction, TransactionNotFound | TransactionOfAnotherUser>
  }
>()("app/wallet/WalletTransactions") {
  static readonly layerNoDeps = Layer.effect(
    WalletTransactions,
    Effect.gen(function* () {
      const repo = yield* LedgerRepo

      const get = Effect.fn("WalletTransactions.get")(function* (owner: UserId, id: WalletTransactionId) {
        const found = Option.getOrUndefined(yield* repo.transaction(id))
        if (found === undefined) return yield* new TransactionNotFound()
        if (found.user_id !== owner) return yield* new TransactionOfAnotherUser()
        return found
      })

      return WalletTransactions.of({ list: repo.transactionsOf, get })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(LedgerRepo.layer))
}
