import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import * as AcceptedPayments from "../../../src/wallet/payments/AcceptedPayments.ts"

const stripe = { STRIPE_SECRET_KEY: "sk_test", STRIPE_WEBHOOK_SECRET: "whsec" }
const telegram = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_WEBHOOK_SECRET: "secret" }
const open = { PUBLIC_URL: "https://proxies.test" }

const configured = <A, E>(effect: Effect.Effect<A, E, Addresses>, environment: Record<string, string>) =>
  Effect.provide(
    effect,
    Layer.provideMerge(Addresses.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  )

const names = (environment: Record<string, string>) =>
  Effect.map(configured(AcceptedPayments.gatewayNames, environment), (byMethod) => Object.values(byMethod).join())

const warnings = (environment: Record<string, string>) =>
  Effect.map(configured(AcceptedPayments.warnings, environment), (all) => all.join())

describe("Accepted payments", () => {
  it.effect("name the gateway of each payment method", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* names({}), "sandbox,sandbox,sandbox")
      assert.strictEqual(yield* names(stripe), "Stripe,off,off")
      assert.strictEqual(yield* names({ ...stripe, ...telegram, SANDBOX: "true" }), "Stripe,sandbox,Telegram")
      assert.strictEqual(
        yield* names({ NOWPAYMENTS_API_KEY: "key", NOWPAYMENTS_IPN_SECRET: "secret" }),
        "off,NOWPayments,off"
      )
    })
  )

  it.effect("warn when no method is on, or when a gateway cannot report payments", () =>
    Effect.gen(function* () {
      for (const fine of [{}, { ...stripe, ...open }, { ...telegram, TELEGRAM_WEBHOOK_URL: "https://edge.test/t" }])
        assert.strictEqual(yield* warnings(fine), "")
      assert.match(yield* warnings({ SANDBOX: "false" }), /^No payment method is on/)
      assert.match(
        yield* warnings({ ...stripe, ...telegram, PUBLIC_URL: "http://proxies.test" }),
        /^PUBLIC_URL is not an https address, so Stripe, Telegram cannot report payments/
      )
    })
  )
})
