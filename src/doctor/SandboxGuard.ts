import { Config, ConfigProvider, Effect, Option, Record } from "effect"
import * as ConfiguredVendors from "../ip-check/vendors/ConfiguredVendors.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import * as Sandbox from "../wallet/Sandbox.ts"
import * as PublicPlace from "./PublicPlace.ts"

/** `SANDBOX_UNSAFE`: the operator allows the sandbox beside real things. */
export const override = Config.Boolean("SANDBOX_UNSAFE").pipe(Config.withDefault(false))

/** Lists the real goods and public addresses that sandbox money would reach. */
const realThings = Effect.gen(function* () {
  const { btcpay, nowPayments, stripe, telegram } = yield* GatewaySettings.load
  const gateways = { Stripe: stripe, BTCPay: btcpay, NOWPayments: nowPayments, Telegram: telegram }
  const providers = (yield* Names).filter((name) => name !== "gateway")
  const vendors = yield* ConfiguredVendors.real
  const { app_url, base_url, issuer, mcp_url } = yield* Addresses
  const addresses = { PUBLIC_URL: base_url, APP_URL: app_url, ISSUER_URL: issuer, MCP_URL: mcp_url }
  const exposed = Record.toEntries(Record.filter(addresses, PublicPlace.isPublicUrl)).map(
    ([name, address]) => [new URL(address).origin, name] as const
  )
  return [
    ...Record.keys(Record.filter(gateways, (gateway: Option.Option<unknown>) => Option.isSome(gateway))).map(
      (name) => `payments by ${name}`
    ),
    ...providers.map((name) => `proxies of ${name} (PROVIDERS)`),
    ...vendors.map(({ label }) => `IP checks by ${label}`),
    // Addresses that follow from one setting are listed as that one.
    ...Array.from(
      new Map(exposed.toReversed()),
      ([origin, name]) => `a public address (${name} ${origin})`
    ).toReversed()
  ]
})

/** Explains why the sandbox is on and how to turn it off. */
const explained = (asked: Option.Option<boolean>) =>
  Option.isSome(asked)
    ? { why: "SANDBOX is true", remedy: "Set SANDBOX=false" }
    : {
        why: "The sandbox is on (the default without a payment gateway)",
        remedy: "Configure a payment gateway, or set SANDBOX=false"
      }

/** Names the real things that sandbox money buys; undefined when it buys none. */
const exposed = Effect.gen(function* () {
  if (!(yield* Sandbox.enabled)) return undefined
  const found = yield* realThings
  return found.length === 0 ? undefined : found.join(", ")
})

/** Says what sandbox money would buy, and how to prevent that. */
const dangerOf = Effect.fnUntraced(function* (exposed: string) {
  const { remedy, why } = explained(yield* Sandbox.setting)
  return (
    `${why}, and the service has ${exposed}: anyone could buy with simulated money. ` +
    `${remedy}. For a demonstration that gives everything away, set SANDBOX_UNSAFE=true (docs/payments.md)`
  )
})

/** Says what sandbox money would buy, and how to prevent that; undefined when it buys nothing real. */
export const danger = Effect.flatMap(exposed, (exposed) =>
  exposed === undefined ? Effect.succeed(undefined) : dangerOf(exposed)
)

/** Stops a start that would sell real goods for sandbox money. With `SANDBOX_UNSAFE` it logs the goods instead. */
export const check = Effect.gen(function* () {
  const found = yield* exposed
  if (found === undefined) return
  if (yield* override)
    return yield* Effect.logWarning(
      `SANDBOX_UNSAFE is true: anyone can buy with simulated money, and the service has ${found} (docs/payments.md)`
    )
  const message = yield* dangerOf(found)
  return yield* Effect.fail(new Config.ConfigError(new ConfigProvider.SourceError({ message })))
})
