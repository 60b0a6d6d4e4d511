import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Currency } from "../platform/Money.ts"
import { TransactionView, WalletView } from "../wallet/WalletApi.ts"
import { WalletTransactionId } from "../wallet/WalletTransaction.ts"
import { reads, tool } from "./ToolAnnotations.ts"
import { page, response_format } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const currency = Currency.annotate({
  description: "Which wallet: USD (US dollars) or STAR (messenger stars); an account has one of each"
})

const listMyWallets = Rpc.make("list_my_wallets", {
  payload: { response_format },
  success: Schema.Union([Schema.String, Schema.Struct({ wallets: Schema.Array(WalletView), total: Schema.Int })]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List my wallets",
    description:
      "Lists the account's wallets, one for each currency, with the balance that can be spent. Free. No tool adds money to a wallet: a signed-in person makes deposits.",
    hints: reads,
    scope: "wallet:read"
  })
)

const getWalletBalance = Rpc.make("get_wallet_balance", {
  payload: { currency },
  success: WalletView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get a balance",
    description:
      "Returns the balance of the account's wallet in one currency, in dollars or whole stars. Free. list_wallet_transactions lists its transactions.",
    hints: reads,
    scope: "wallet:read"
  })
)

const listWalletTransactions = Rpc.make("list_wallet_transactions", {
  payload: { currency, ...page(1000, 100), response_format },
  success: Schema.Union([
    Schema.String,
    Schema.Struct({
      transactions: Schema.Array(TransactionView),
      total: Schema.Int.annotate({ description: "Number of transactions in this answer" })
    })
  ]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List wallet transactions",
    description:
      "Lists the transactions of one wallet, newest first: deposits, payments, refunds and withdrawals. Free. `amount` is positive for credits and negative for debits. The balance counts only `completed` transactions. csv has one row for each transaction; `total` in json counts the transactions of this answer. get_transaction returns one by its id.",
    hints: reads,
    scope: "wallet:read"
  })
)

const getTransaction = Rpc.make("get_transaction", {
  payload: {
    transaction_id: WalletTransactionId.annotate({
      description: "The `id` of a transaction, from list_wallet_transactions"
    })
  },
  success: TransactionView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get a transaction",
    description:
      "Returns one transaction of the account's wallets. Free. 404: no such transaction. 403: it belongs to another account.",
    hints: reads,
    scope: "wallet:read"
  })
)

/** The account's wallets. */
export const WalletTools = RpcGroup.make(
  listMyWallets,
  getWalletBalance,
  listWalletTransactions,
  getTransaction
).middleware(ToolCaller)
