import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Logger } from "effect"
import * as SandboxGuard from "../../src/doctor/SandboxGuard.ts"
import * as StartFailure from "../../src/cli/StartFailure.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"

const checkWith = (environment: Record<string, string>) =>
  Effect.provide(
    SandboxGuard.check,
    Layer.mergeAll(Addresses.layer, NodeHttpClient.layerNodeHttp).pipe(
      Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))
    )
  )

/** The line of a refused start. */
const refusal = (environment: Record<string, string>) =>
  Effect.map(Effect.flip(checkWith(environment)), StartFailure.explain)

/** The warnings that a start logs. */
const warnings = (environment: Record<string, string>) => {
  const lines: Array<readonly [level: string, line: string]> = []
  const kept = Logger.make<unknown, void>(
    ({ logLevel, message }) => void lines.push([logLevel, [message].flat().join(" ")])
  )
  return Effect.as(Effect.provide(checkWith(environment), Logger.layer([kept])), lines)
}

const stripe = { STRIPE_SECRET_KEY: "sk_live", STRIPE_WEBHOOK_SECRET: "whsec" }
const telegram = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_WEBHOOK_SECRET: "secret" }
const vendors = { PROVIDERS: "gateway,proxy-seller,iproyal" }
const reputation = { ABUSEIPDB_API_KEY: "k", SCAMALYTICS_USER: "u", SCAMALYTICS_API_KEY: "k" }
const open = { PUBLIC_URL: "https://proxies.shop" }

describe("The sandbox", () => {
  it.effect.each([
    ["a live gateway", { SANDBOX: "true", ...stripe }, "payments by Stripe"],
    ["two live gateways", { SANDBOX: "true", ...stripe, ...telegram }, "payments by Stripe, payments by Telegram"],
    ["providers, although no setting asks for it", vendors, "proxies of proxy-seller (PROVIDERS), proxies of iproyal"],
    ["vendors of IP reputation", reputation, "IP checks by AbuseIPDB, IP checks by Scamalytics"],
    ["a public name", open, "a public address (PUBLIC_URL https://proxies.shop)"],
    ["public pages", { APP_URL: "https://pages.shop/app" }, "a public address (APP_URL https://pages.shop)"],
    ["public tools", { MCP_URL: "https://tools.shop" }, "a public address (MCP_URL https://tools.shop)"],
    ["a public OAuth server", { ISSUER_URL: "https://id.shop" }, "a public address (ISSUER_URL https://id.shop)"],
    ["a public IPv4 address", { PUBLIC_URL: "https://1.1.1.1" }, "a public address"],
    ["a public IPv6 address", { PUBLIC_URL: "https://[2606:4700::1]:8443" }, "a public address"]
  ] as const)("stops the start with %s, and one line says what to do", ([, environment, told]) =>
    Effect.gen(function* () {
      const line = yield* refusal(environment)
      assert.include(line, told)
      assert.match(line, /set SANDBOX=false\..* set SANDBOX_UNSAFE=true/i)
      assert.notInclude(line, "\n")
      const [warning, ...others] = yield* warnings({ ...environment, SANDBOX_UNSAFE: "true" })
      assert.deepStrictEqual([warning?.[0], others], ["Warn", []])
      assert.include(warning?.[1], told)
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(checkWith({ ...environment, SANDBOX: "false" }))))
    })
  )

  it.effect("explains why it is on, and names the settings that turn it off", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refusal(open),
        /^The sandbox is on \(the default without a payment gateway\), and the service has a public address/
      )
      assert.include(yield* refusal(open), ". Configure a payment gateway, or set SANDBOX=false. ")
      assert.match(
        yield* refusal({ ...open, SANDBOX: "true" }),
        /^SANDBOX is true, and the service has a public address/
      )
    })
  )

  it.effect.each([
    ["by itself", {}],
    ["on the local network", { PUBLIC_URL: "https://192.168.1.5" }],
    ["at a name for tests", { PUBLIC_URL: "https://proxies.test" }],
    ["on this machine by https", { PUBLIC_URL: "https://localhost:8443" }],
    ["when a payment gateway turns it off", { ...stripe, ...vendors, ...reputation, ...open }]
  ] as const)("allows a start %s, without a warning", ([, environment]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warnings({ ...environment, SANDBOX_UNSAFE: "true" }), [])
      yield* checkWith(environment)
    })
  )
})
