import { Context, Effect, Layer, Option, Stream } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { TransactionFilter } from "./TransactionFilter.ts"
import { TransactionNotFound, TransactionOfAnotherUser } from "./WalletErrors.ts"
import type { WalletTransaction, WalletTransactionId } from "./WalletTransaction.ts"

/** Limit of the entries that a stream reads at once. */
const readAtOnce = 500

/** Reads the ledger entries of an account. */
export class WalletTransactions extends Context.Service<
  WalletTransactions,
  {
    /** Newest first. */
    readonly list: (
      owner: UserId,
      filter: TransactionFilter,
      page: Page
    ) => Effect.Effect<ReadonlyArray<WalletTransaction>>
    readonly count: (owner: UserId, filter: TransactionFilter) => Effect.Effect<number>
    /** All entries, newest first, without those that are added in the meantime. Holds a few hundred entries at a time. */
    readonly all: (owner: UserId, filter: TransactionFilter) => Stream.Stream<WalletTransaction>
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

      const all = (owner: UserId, filter: TransactionFilter) =>
        Stream.paginate(undefined as WalletTransaction | undefined, (last) => {
          const read =
            last === undefined
              ? repo.transactionsOf(owner, filter, { limit: readAtOnce, offset: 0 })
              : repo.olderThan(owner, filter, last, readAtOnce)
          return Effect.map(read, (found) => {
            const next = found.length < readAtOnce ? Option.none() : Option.fromNullishOr(found.at(-1))
            return [found, next] as const
          })
        })

      return WalletTransactions.of({ list: repo.transactionsOf, count: repo.countOf, all, get })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(LedgerRepo.layer))
}
