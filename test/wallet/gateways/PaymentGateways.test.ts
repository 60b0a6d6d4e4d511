import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Config, ConfigProvider, Context, Deferred, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { PaymentGateways } from "../../../src/wallet/gateways/PaymentGateways.ts"
import * as Sandbox from "../../../src/wallet/Sandbox.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { botToken } from "./TelegramTesting.ts"
import * as VendorServer from "./VendorServer.ts"

type Environment = Record<string, string>

const settings = (environment: Environment) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))

/** The gateways for one environment, while the scope is open. */
const gatewaysFor = Effect.fnUntraced(function* (environment: Environment) {
  const services = Layer.provide(PaymentGateways.layer, Addresses.layer).pipe(Layer.provide(settings(environment)))
  return Context.get(yield* Layer.buildWithScope(services, yield* Scope.Scope), PaymentGateways)
})

/** Names a gateway by its signature header. Telegram's header holds the secret itself, so it is not stored. */
const names: Record<string, string> = {
  "stripe-signature": "stripe",
  "btcpay-sig": "btcpay",
  "x-nowpayments-sig": "nowpayments",
  "": "telegram",
  "x-sandbox-signature": "sandbox"
}

const stripe = { STRIPE_SECRET_KEY: "sk_test", STRIPE_WEBHOOK_SECRET: "whsec" }
const btcpay = {
  BTCPAY_URL: "https://pay.test/",
  BTCPAY_STORE_ID: "store",
  BTCPAY_API_KEY: "key",
  BTCPAY_WEBHOOK_SECRET: "secret"
}
const nowPayments = { NOWPAYMENTS_API_KEY: "key", NOWPAYMENTS_IPN_SECRET: "secret" }
const telegram = {
  TELEGRAM_BOT_TOKEN: botToken,
  TELEGRAM_WEBHOOK_SECRET: "secret",
  TELEGRAM_API_URL: "http://127.0.0.1:1"
}
const sandbox = { card: "sandbox", crypto: "sandbox", stars: "sandbox", pretended: true }
const none = { card: "none", crypto: "none", stars: "none", pretended: false }

const matrix: ReadonlyArray<readonly [Environment, typeof none]> = [
  [{}, sandbox],
  [{ SANDBOX: "true" }, sandbox],
  [{ SANDBOX: "false" }, none],
  [stripe, { ...none, card: "stripe" }],
  [
    { ...stripe, SANDBOX: "false" },
    { ...none, card: "stripe" }
  ],
  [
    { ...stripe, SANDBOX: "true" },
    { ...sandbox, card: "stripe" }
  ],
  [btcpay, { ...none, crypto: "btcpay" }],
  [nowPayments, { ...none, crypto: "nowpayments" }],
  [
    { ...btcpay, CRYPTO_GATEWAY: "btcpay" },
    { ...none, crypto: "btcpay" }
  ],
  [
    { ...btcpay, ...nowPayments, CRYPTO_GATEWAY: "btcpay" },
    { ...none, crypto: "btcpay" }
  ],
  [
    { ...btcpay, ...nowPayments, CRYPTO_GATEWAY: "nowpayments" },
    { ...none, crypto: "nowpayments" }
  ],
  [telegram, { ...none, stars: "telegram" }],
  [
    { ...telegram, SANDBOX: "true" },
    { ...sandbox, stars: "telegram" }
  ],
  [
    { ...stripe, ...nowPayments, ...telegram, SANDBOX: "true" },
    { card: "stripe", crypto: "nowpayments", stars: "telegram", pretended: true }
  ]
]

const without = (environment: Environment, name: string) =>
  Object.fromEntries(Object.entries(environment).filter(([key]) => key !== name))

const halves = [stripe, btcpay, nowPayments, without(telegram, "TELEGRAM_API_URL")].flatMap((whole) =>
  Object.keys(whole).map((name) => [name, without(whole, name)] as const)
)

const faults: ReadonlyArray<readonly [name: string, environment: Environment]> = [
  ...halves,
  ["CRYPTO_GATEWAY", { ...btcpay, ...nowPayments }],
  ["CRYPTO_GATEWAY", { ...btcpay, CRYPTO_GATEWAY: "stripe" }],
  ["BTCPAY_URL", { ...nowPayments, CRYPTO_GATEWAY: "btcpay" }],
  ["NOWPAYMENTS_API_KEY", { CRYPTO_GATEWAY: "nowpayments" }],
  ["BTCPAY_URL", { ...btcpay, BTCPAY_URL: "pay.test" }],
  ["STRIPE_API_URL", { ...stripe, STRIPE_API_URL: "ftp://stripe.test" }],
  ["STRIPE_SECRET_KEY", { ...stripe, STRIPE_SECRET_KEY: " " }],
  ["TELEGRAM_WEBHOOK_SECRET", { ...telegram, TELEGRAM_WEBHOOK_SECRET: "hush hush" }],
  ["SANDBOX", { SANDBOX: "perhaps" }]
]

layer(Layer.mergeAll(TestDatabase.layer, NodeCrypto.layer, NodeHttpClient.layerNodeHttp))("Payment gateways", (it) => {
  for (const [environment, expected] of matrix)
    it.effect(`with ${Object.keys(environment).join(", ") || "nothing set"} are exactly those`, () =>
      Effect.gen(function* () {
        const gateways = yield* gatewaysFor(environment)
        const nameOf = (method: Parameters<typeof gateways.get>[0]) =>
          names[gateways.get(method)?.headers.join() ?? "none"] ?? "none"
        assert.deepStrictEqual(
          {
            card: nameOf("card_gateway"),
            crypto: nameOf("crypto_gateway"),
            stars: nameOf("messenger_stars"),
            pretended: yield* Effect.provide(Sandbox.enabled, settings(environment))
          },
          expected
        )
      })
    )

  for (const [name, environment] of faults)
    it.effect(`do not start with ${Object.keys(environment).join(", ")}: ${name} is wrong`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(gatewaysFor(environment))
        assert.instanceOf(error, Config.ConfigError)
        assert.include(error.message, name)
        assert.notInclude(error.message, "hush")
      })
    )

  it.effect("name the missing variables of a partial configuration in one line, with the reason", () =>
    Effect.gen(function* () {
      const said = Effect.fnUntraced(function* (environment: Environment) {
        return (yield* Effect.flip(gatewaysFor(environment))).message
      })
      assert.include(
        yield* said(without(stripe, "STRIPE_WEBHOOK_SECRET")),
        "STRIPE_WEBHOOK_SECRET is missing: it is needed because STRIPE_SECRET_KEY is set (docs/payments.md)"
      )
      assert.include(
        yield* said({ BTCPAY_URL: btcpay.BTCPAY_URL, BTCPAY_API_KEY: "key" }),
        "BTCPAY_STORE_ID, BTCPAY_WEBHOOK_SECRET are missing: they are needed because BTCPAY_URL is set (docs/payments.md)"
      )
      assert.include(
        yield* said({ CRYPTO_GATEWAY: "nowpayments" }),
        "NOWPAYMENTS_API_KEY, NOWPAYMENTS_IPN_SECRET are missing: they are needed because CRYPTO_GATEWAY is nowpayments (docs/payments.md)"
      )
    })
  )

  it.effect(
    "register the webhook address with Telegram when the service has a public address, and retry until it succeeds",
    () =>
      Effect.gen(function* () {
        const server = yield* VendorServer.make
        const registering = { ...telegram, TELEGRAM_API_URL: server.url }
        yield* gatewaysFor({ ...registering, PUBLIC_URL: "http://localhost:8080" })
        const registered = yield* Deferred.make<string>()
        server.reply(`POST /bot${botToken}/setWebhook`, ({ body }) => {
          if (server.requests.length === 1) return [500, { ok: false }]
          Deferred.doneUnsafe(registered, Effect.succeed(JSON.parse(body).url))
          return [200, { ok: true, result: true }]
        })
        const elsewhere = "https://edge.test/telegram"
        yield* gatewaysFor({ ...registering, TELEGRAM_WEBHOOK_URL: elsewhere })
        yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("100 millis"))))
        assert.strictEqual(yield* Deferred.await(registered), elsewhere)
        assert.strictEqual(server.requests.length, 2)
      })
  )
})
