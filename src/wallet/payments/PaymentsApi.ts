import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionAuthentication } from "../../accounts/Authentication.ts"
import * as Money from "../../platform/Money.ts"
import * as Page from "../../platform/fields/Page.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import { type Deposit, faults, limits } from "./Deposit.ts"
import {
  CardsNotOffered,
  DepositNotFound,
  DepositOfAnotherUser,
  PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  TooManyCards,
  TooManyOpenPayments,
  TooManyUnpaidOrders
} from "../PaymentErrors.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { TransactionStatus, WalletTransactionId } from "../WalletTransaction.ts"

const method = PaymentMethod.annotate({
  description: "`crypto_gateway` and `card_gateway` take USD, `messenger_stars` takes STAR",
  examples: ["card_gateway"]
})

const DepositRequest = Schema.Struct({
  amount: Schema.Union([Schema.Finite, Text(1, 32)]).annotate({
    description: `A number or a decimal string: ${limits.USD.rule}, or ${limits.STAR.rule}`,
    examples: [25, "49.90"]
  }),
  currency: Money.Currency.annotate({ examples: ["USD"] }),
  payment_method: method,
  save_card: optional(Schema.Boolean, {
    description:
      "Also saves the card that pays, with `card_gateway` only; `PUT /wallet/auto-top-up` can then charge it. Nothing else is charged",
    examples: [false]
  })
})
  .check(Schema.makeFilter(faults))
  .annotate({ identifier: "DepositRequest" })

const DepositView = Schema.Struct({
  id: WalletTransactionId.annotate({ description: "The id of the deposit and of its wallet transaction" }),
  status: TransactionStatus.annotate({ description: "`pending` until the gateway reports the result of the payment" }),
  amount: Schema.Finite.annotate({ description: "Dollars or whole stars", examples: [25] }),
  currency: Money.Currency,
  payment_method: method,
  payment_intent_id: PaymentIntentId,
  payment_url: Schema.NullOr(Schema.String).annotate({
    description: "The page to pay on; open it in a browser",
    examples: ["http://localhost:8080/app/sandbox/pay/0199c1a8-7d5e-7c3a-9b1f-2a4c6e8f0b1d"]
  }),
  created_at: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Deposit" })

export const depositView = ({ amount, ...rest }: Deposit): typeof DepositView.Type => ({
  ...rest,
  amount: Money.toNumber(rest.currency, amount)
})

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class PaymentsApi extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("createDeposit", "/payments/deposits", {
      payload: DepositRequest,
      success: DepositView.pipe(HttpApiSchema.status(201)),
      error: [
        CardsNotOffered,
        PaymentMethodUnavailable,
        PaymentMethodNotOffered,
        TooManyCards,
        TooManyOpenPayments,
        TooManyUnpaidOrders,
        RequestInvalid
      ]
    }).annotateMerge(
      described(
        "Make a deposit",
        "Requests a payment from the payment gateway and returns the page to pay on. The wallet is credited once, when the " +
          "gateway reports the payment. A payment fails when it is not made within 60 minutes. Money that comes later, twice " +
          "or in another amount is credited as a separate deposit. A repeated call makes another deposit; the call itself " +
          "charges nothing. `409` means that 20 of your payments are open, that you made 500 unpaid orders and deposits " +
          "within a day, or that you have 5 saved cards and want to save another. `422` also means that the amount is too small for the gateway. `503` means that the gateway cannot " +
          "be reached or that the method is not offered; `details.available` then names the offered methods."
      )
    ),
    HttpApiEndpoint.get("listDeposits", "/payments/deposits", {
      query: Page.query(100, 50),
      success: Schema.Struct({
        deposits: Schema.Array(DepositView),
        total: Schema.Int.annotate({ examples: [1] }),
        limit: Schema.Int.annotate({ examples: [50] }),
        offset: Schema.Int.annotate({ examples: [0] })
      })
    }).annotateMerge(described("List deposits", "Lists your deposits, newest first. `total` counts all of them.")),

    HttpApiEndpoint.get("getDeposit", "/payments/deposits/:deposit_id", {
      params: { deposit_id: WalletTransactionId },
      success: DepositView,
      error: [DepositNotFound, DepositOfAnotherUser]
    }).annotateMerge(
      described(
        "Get a deposit",
        "Returns one of your deposits. `403` means that the deposit belongs to another account."
      )
    )
  )
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Payments")
  .annotate(
    OpenApi.Description,
    "Deposits to your wallet. These operations need a signed-in session; API keys are refused."
  ) {}
