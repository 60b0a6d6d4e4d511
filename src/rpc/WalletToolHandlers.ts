import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import { transactionView, walletView } from "../wallet/WalletApi.ts"
import { transactionCells, transactionColumns } from "../wallet/TransactionCells.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { WalletTransactions } from "../wallet/WalletTransactions.ts"
import { csv } from "../platform/Csv.ts"
import { asTool } from "./ToolFailure.ts"
import { WalletTools } from "./WalletTools.ts"

const walletColumns = ["wallet_id", "currency", "balance", "updated_at"] as const

export const layer = WalletTools.toLayer(
  Effect.gen(function* () {
    const transactions = yield* WalletTransactions
    const wallets = yield* Wallets

    return WalletTools.of({
      list_my_wallets: Effect.fnUntraced(function* ({ response_format }) {
        const owned = (yield* wallets.list((yield* Caller).user_id)).map(walletView)
        if (response_format === "csv") return yield* csv(walletColumns, owned)
        return { wallets: owned, total: owned.length }
      }),
      get_wallet_balance: Effect.fnUntraced(function* ({ currency }) {
        return walletView(yield* wallets.balance((yield* Caller).user_id, currency))
      }),
      list_wallet_transactions: Effect.fnUntraced(function* ({ currency, response_format, ...page }) {
        const found = yield* transactions.list((yield* Caller).user_id, { currency }, page)
        if (response_format === "csv") return yield* csv(transactionColumns, found.map(transactionCells))
        return { transactions: found.map(transactionView), total: found.length }
      }),
      get_transaction: Effect.fnUntraced(function* ({ transaction_id }) {
        return transactionView(yield* transactions.get((yield* Caller).user_id, transaction_id))
      }, asTool)
    })
  })
)
