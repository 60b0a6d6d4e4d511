import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import * as SandboxGuard from "../../src/cli/SandboxGuard.ts"
import * as StartFailure from "../../src/cli/StartFailure.ts"
import { Addresses } from "../../src/platform/Addresses.ts"

const checkWith = (environment: Record<string, string>) =>
  Effect.provide(
    SandboxGuard.check,
    Layer.provideMerge(Addresses.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
  )

const stripe = { STRIPE_SECRET_KEY: "sk_live", STRIPE_WEBHOOK_SECRET: "whsec" }
const telegram = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_WEBHOOK_SECRET: "secret" }
const vendors = { PROVIDERS: "gateway,proxy-seller,iproyal" }
const open = { PUBLIC_URL: "https://proxies.shop" }

describe("The sandbox", () => {
  it.effect.each([
    ["a live gateway", { SANDBOX: "true", ...stripe }, "payments by Stripe"],
    ["two of them", { SANDBOX: "true", ...stripe, ...telegram }, "payments by Stripe, payments by Telegram"],
    ["vendors, though nobody asked for it", vendors, "proxies of proxy-seller (PROVIDERS), proxies of iproyal"],
    ["a public name", open, "a public address (PUBLIC_URL https://proxies.shop)"],
    ["a public IPv4 address", { PUBLIC_URL: "https://1.1.1.1" }, "a public address"],
    ["a public IPv6 address", { PUBLIC_URL: "https://[2606:4700::1]:8443" }, "a public address"]
  ] as const)("stops the start beside %s, with one line that says what to do", ([, environment, told]) =>
    Effect.gen(function* () {
      const line = StartFailure.explain(yield* Effect.flip(checkWith(environment)))
      assert.include(line, told)
      assert.include(line, "set SANDBOX=false, or SANDBOX_UNSAFE=true")
      assert.notInclude(line, "\n")
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(checkWith({ ...environment, SANDBOX_UNSAFE: "true" }))))
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(checkWith({ ...environment, SANDBOX: "false" }))))
    })
  )

  it.effect.each([
    ["by itself", {}],
    ["on the local network", { PUBLIC_URL: "https://192.168.1.5" }],
    ["at a name for tests", { PUBLIC_URL: "https://proxies.test" }],
    ["on this machine by https", { PUBLIC_URL: "https://localhost:8443" }],
    ["when a gateway has switched it off", { ...stripe, ...vendors, ...open }]
  ] as const)("starts %s", ([, environment]) => checkWith(environment))
})
