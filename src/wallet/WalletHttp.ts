import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { transactionView, walletView } from "./WalletApi.ts"
import { Wallets } from "./Wallets.ts"
import { WalletTransactions } from "./WalletTransactions.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "wallet",
  Effect.fnUntraced(function* (handlers) {
    const transactions = yield* WalletTransactions
    const wallets = yield* Wallets

    return handlers.handleAll({
      listWallets: Effect.fnUntraced(function* () {
        const { user_id } = yield* Caller
        const owned = yield* wallets.list(user_id)
        return { wallets: owned.map(walletView), total: owned.length }
      }),
      getBalance: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        return walletView(yield* wallets.balance(user_id, query.currency))
      }),
      listTransactions: Effect.fnUntraced(function* ({ query }) {
        const { user_id } = yield* Caller
        const listed = yield* transactions.list(user_id, query, query)
        return { transactions: listed.map(transactionView), total: listed.length }
      }),
      getTransaction: Effect.fnUntraced(function* ({ params }) {
        const { user_id } = yield* Caller
        return transactionView(yield* transactions.get(user_id, params.transaction_id))
      })
    })
  })
)
