import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { ConfigProvider, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { PaymentCallbacksApi } from "../../src/wallet/payments/PaymentCallbacksApi.ts"
import * as PaymentCallbacksHttp from "../../src/wallet/payments/PaymentCallbacksHttp.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { PaymentFulfilment } from "../../src/wallet/payments/PaymentFulfilment.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { PaymentsApi } from "../../src/wallet/payments/PaymentsApi.ts"
import * as PaymentsHttp from "../../src/wallet/payments/PaymentsHttp.ts"
import { WalletApi } from "../../src/wallet/WalletApi.ts"
import * as WalletHttp from "../../src/wallet/WalletHttp.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf } from "../support/TestServer.ts"

const api = HttpApi.make("proxy-rental").add(WalletApi).add(PaymentsApi).add(PaymentCallbacksApi).prefix("/v1")

const routes = Layer.mergeAll(WalletHttp.layer, PaymentsHttp.layer, PaymentCallbacksHttp.layer).pipe(
  Layer.provide([Deposits.layer, Payments.layer, WalletTransactions.layer])
)

const serverWith = <A, E, R>(gateways: Layer.Layer<PaymentGateways | A, E, R>) =>
  layerOf(api, routes).pipe(
    Layer.provide([Layer.mock(PaymentFulfilment)({}), Notifications.layer]),
    Layer.provide(AuthLimits.layer.pipe(Layer.provide(RateLimit.layer))),
    Layer.provideMerge(Layer.provideMerge(Wallets.layer, gateways)),
    Layer.provide(Addresses.layer),
    Layer.provideMerge([TestDatabase.layer, NodeCrypto.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PUBLIC_URL: "https://proxies.test" })))
  )

/** The wallet's part of the API, with the sandbox as its gateway. */
export const server = serverWith(Layer.provide(PaymentGateways.layer, NodeHttpClient.layerNodeHttp))

/** The wallet's part of the API, with `MemoryPaymentGateways`. */
export const serverInMemory = serverWith(MemoryPaymentGateways.layer)

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
