import { NodeHttpClient } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi } from "effect/http-api"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import * as PaymentPagesHttp from "../../src/dashboard/payments/PaymentPagesHttp.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { PaymentCallbacksApi } from "../../src/wallet/payments/PaymentCallbacksApi.ts"
import { PaymentCallbacksRepo } from "../../src/wallet/payments/PaymentCallbacksRepo.ts"
import * as PaymentCallbacksHttp from "../../src/wallet/payments/PaymentCallbacksHttp.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { PaymentsApi } from "../../src/wallet/payments/PaymentsApi.ts"
import * as PaymentsHttp from "../../src/wallet/payments/PaymentsHttp.ts"
import { PaymentSettlement } from "../../src/wallet/payments/PaymentSettlement.ts"
import { PaymentsRepo } from "../../src/wallet/payments/PaymentsRepo.ts"
import { SandboxPayments } from "../../src/wallet/payments/SandboxPayments.ts"
import { WalletApi } from "../../src/wallet/WalletApi.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import * as WalletHttp from "../../src/wallet/WalletHttp.ts"
import { PaymentFulfilment } from "../../src/wallet/payments/PaymentFulfilment.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf, request } from "../support/TestServer.ts"
import * as TestCrypto from "../support/TestCrypto.ts"

const api = HttpApi.make("proxy-rental").add(WalletApi).add(PaymentsApi).add(PaymentCallbacksApi).prefix("/v1")
const routes = Layer.mergeAll(
  WalletHttp.layer,
  PaymentsHttp.layer,
  PaymentCallbacksHttp.layer,
  PaymentPagesHttp.layer
).pipe(Layer.provide([Deposits.layer, Orders.layer, Payments.layer, Wallets.layer, WalletTransactions.layer]))

/** The API and the payment pages with these settings. */
export const serverWith = (environment: Record<string, string>) =>
  layerOf(api, routes).pipe(
    Layer.provide(Layer.mock(AuthLimits)({ address: () => Effect.void })),
    Layer.provideMerge([SandboxPayments.layer, PaymentSettlement.layer]),
    Layer.provideMerge([Layer.mock(PaymentFulfilment)({}), Notifications.layer, Wallets.layer]),
    Layer.provideMerge(Layer.provide(PaymentGateways.layer, NodeHttpClient.layerNodeHttp)),
    Layer.provideMerge(Addresses.layer),
    Layer.provideMerge([PaymentsRepo.layer, PaymentCallbacksRepo.layer]),
    Layer.provideMerge([TestDatabase.layer, TestCrypto.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  )

/** The header of a submitted form. */
export const form = { "content-type": "application/x-www-form-urlencoded" }

/** A requested deposit and its payment page. */
export const deposited = Effect.fnUntraced(function* (
  body: object = { amount: 25, currency: "USD", payment_method: "card_gateway" }
) {
  const user = yield* Fixtures.newUser
  const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body })
  const page = new URL(deposit.payment_url).pathname
  return {
    user,
    page,
    deposit,
    show: request("GET", page),
    choose: (outcome: string) =>
      request("POST", page, { headers: form, body: `outcome=${outcome}` }).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
      ),
    status: Effect.map(request("GET", `/v1/payments/deposits/${deposit.id}`, { user }), ({ body }) => body.status),
    balance: Effect.map(
      request("GET", `/v1/wallet/balance?currency=${deposit.currency}`, { user }),
      ({ body }) => body.balance
    )
  }
})
