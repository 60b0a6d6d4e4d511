import { Config, ConfigProvider, Effect, Option, Record, Result } from "effect"
import { NetAddress } from "effect/net"
import * as ConfiguredVendors from "../ip-check/vendors/ConfiguredVendors.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as PublicAddress from "../platform/outbound/PublicAddress.ts"
import { Names } from "../provider/adapters/ConfiguredProviders.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import * as Sandbox from "../wallet/Sandbox.ts"

const override = Config.Boolean("SANDBOX_UNSAFE").pipe(Config.withDefault(false))

const localName = /(^|\.)(localhost|local|internal|test|example|invalid|home\.arpa)$/

/**
 * True when strangers may reach an address: https at a public IP address, or at a name that is not reserved for local
 * use.
 */
const isPublic = (address: string) => {
  const { hostname, protocol } = new URL(address)
  if (protocol !== "https:") return false
  return Result.match(NetAddress.ipFromString(hostname.replace(/^\[|\]$/g, "")), {
    onFailure: () => !localName.test(hostname),
    onSuccess: PublicAddress.isPublic
  })
}

/** Lists the real goods and public addresses that sandbox money would reach. */
const realThings = Effect.gen(function* () {
  const { btcpay, nowPayments, stripe, telegram } = yield* GatewaySettings.load
  const gateways = { Stripe: stripe, BTCPay: btcpay, NOWPayments: nowPayments, Telegram: telegram }
  const providers = (yield* Names).filter((name) => name !== "gateway")
  const vendors = yield* ConfiguredVendors.real
  const { app_url, base_url, issuer, mcp_url } = yield* Addresses
  const addresses = { PUBLIC_URL: base_url, APP_URL: app_url, ISSUER_URL: issuer, MCP_URL: mcp_url }
  const exposed = Record.toEntries(Record.filter(addresses, isPublic)).map(
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
    ? { why: "SANDBOX is on together with", remedy: "set SANDBOX=false, or SANDBOX_UNSAFE=true" }
    : {
        why: "The sandbox is on (the default without a payment gateway) together with",
        remedy: "configure a payment gateway, or set SANDBOX=false, or SANDBOX_UNSAFE=true"
      }

/** Stops a start that would sell real goods for sandbox money. With `SANDBOX_UNSAFE` it logs the goods instead. */
export const check = Effect.gen(function* () {
  if (!(yield* Sandbox.enabled)) return
  const found = yield* realThings
  if (found.length === 0) return
  const exposed = found.join(", ")
  if (yield* override)
    return yield* Effect.logWarning(
      `SANDBOX_UNSAFE allows the sandbox together with ${exposed}, so sandbox money buys real goods (docs/payments.md)`
    )
  const { remedy, why } = explained(yield* Sandbox.setting)
  const message =
    `${why} ${exposed}, so sandbox money would buy real goods: ` +
    `${remedy} if everyone may have them for free (docs/payments.md)`
  return yield* Effect.fail(new Config.ConfigError(new ConfigProvider.SourceError({ message })))
})
