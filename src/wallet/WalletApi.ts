import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { UserId } from "../accounts/User.ts"
import * as Money from "../platform/Money.ts"
import * as Page from "../platform/fields/Page.ts"
import { type Wallet, WalletId } from "./Wallet.ts"
import { TransactionNotFound, TransactionOfAnotherUser } from "./WalletErrors.ts"
import { TransactionStatus, TransactionType, type WalletTransaction, WalletTransactionId } from "./WalletTransaction.ts"

const timestamp = Schema.DateTimeUtcFromString

export const TransactionView = Schema.Struct({
  id: WalletTransactionId,
  user_id: UserId,
  wallet_id: WalletId,
  amount: Schema.Finite.annotate({
    description: "Dollars or whole stars; positive for credits, negative for debits",
    examples: [25, -12.5]
  }),
  currency: Money.Currency,
  transaction_type: TransactionType,
  status: TransactionStatus.annotate({ description: "Only completed transactions count in the balance" }),
  payment_method: Schema.NullOr(Schema.String).annotate({
    description: "`wallet`, or the gateway of a deposit",
    examples: ["crypto_gateway"]
  }),
  external_id: Schema.NullOr(Schema.String).annotate({
    description: "The id of the payment at its gateway; null when it has none",
    examples: ["pi_3PZ1d2"]
  }),
  description: Schema.String.annotate({ examples: ["Deposit"] }),
  created_at: timestamp,
  updated_at: timestamp
}).annotate({ identifier: "WalletTransaction" })

export const transactionView = ({ amount, ...rest }: WalletTransaction): typeof TransactionView.Type => ({
  ...rest,
  amount: Money.toNumber(rest.currency, amount)
})

export const WalletView = Schema.Struct({
  wallet_id: WalletId,
  currency: Money.Currency,
  balance: Schema.Finite.annotate({ description: "Dollars or whole stars", examples: [37.5] }),
  updated_at: timestamp
}).annotate({ identifier: "Wallet" })

export const walletView = ({ balance, currency, id, updated_at }: Wallet): typeof WalletView.Type => ({
  wallet_id: id,
  currency,
  balance: Money.toNumber(currency, balance),
  updated_at
})

const currency = Money.Currency.annotate({ description: "`USD` when absent" }).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed("USD"))
)

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class WalletApi extends HttpApiGroup.make("wallet")
  .add(
    HttpApiEndpoint.get("listWallets", "/wallet", {
      success: Schema.Struct({ wallets: Schema.Array(WalletView), total: Schema.Int.annotate({ examples: [2] }) })
    })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(described("List wallets", "Lists your wallets, one for each currency, with their balances.")),

    HttpApiEndpoint.get("getBalance", "/wallet/balance", { query: { currency }, success: WalletView })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(
        described(
          "Get a balance",
          "Returns the balance of your wallet in one currency: the sum of its completed transactions."
        )
      ),

    HttpApiEndpoint.get("listTransactions", "/wallet/transactions", {
      query: {
        ...Page.query(1000, 100),
        currency,
        transaction_type: Schema.optionalKey(
          TransactionType.annotate({ description: "Only transactions of this type; all when absent" })
        )
      },
      success: Schema.Struct({
        transactions: Schema.Array(TransactionView),
        total: Schema.Int.annotate({ description: "The number of transactions in this answer", examples: [1] })
      })
    })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(
        described(
          "List transactions",
          "Lists deposits, payments, refunds and withdrawals in one currency, newest first."
        )
      ),

    HttpApiEndpoint.get("getTransaction", "/wallet/transactions/:transaction_id", {
      params: { transaction_id: WalletTransactionId },
      success: TransactionView,
      error: [TransactionNotFound, TransactionOfAnotherUser]
    })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(
        described(
          "Get a transaction",
          "Returns one of your transactions. `403` means that the transaction belongs to another account."
        )
      )
  )
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Wallet")
  .annotate(
    OpenApi.Description,
    "Your money with the service, and every transaction. A restricted API key needs `wallet:read`."
  ) {}
