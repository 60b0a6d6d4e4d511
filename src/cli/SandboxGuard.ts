import { Config, ConfigProvider, Effect, Option, Record, Result } from "effect"
import { NetAddress } from "effect/net"
import * as ConfiguredVendors from "../ip-check/vendors/ConfiguredVendors.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as PublicAddress from "../platform/outbound/PublicAddress.ts"
import { Names } from "../provider/Providers.ts"
import * as GatewaySettings from "../wallet/GatewaySettings.ts"
import * as Sandbox from "../wallet/Sandbox.ts"

const override = Config.Boolean("SANDBOX_UNSAFE").pipe(Config.withDefault(false))

const localName = /(^|\.)(localhost|local|internal|test|example|invalid|home\.arpa)$/

/** Says whether strangers may reach an address: https at a public IP address, or at a name that is not reserved for local use. */
const isPublic = (address: string) => {
  const { hostname, protocol } = new URL(address)
  if (protocol !== "https:") return false
  return Result.match(NetAddress.ipFromString(hostname.replace(/^\[|\]$/g, "")), {
    onFailure: () => !localName.test(hostname),
    onSuccess: PublicAddress.isPublic
  })
}

/** Names all that the money of the sandbox would buy for nothing. */
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
    // The addresses that follow from one setting are told as that one.
    ...Array.from(
      new Map(exposed.toReversed()),
      ([origin, name]) => `a public address (${name} ${origin})`
    ).toReversed()
  ]
})

/** Says why the sandbox is on, and how to switch it off. */
const explained = (asked: Option.Option<boolean>) =>
  Option.isSome(asked)
    ? { why: "SANDBOX is on", remedy: "set SANDBOX=false, or SANDBOX_UNSAFE=true" }
    : {
        why: "The sandbox is on, its default while no payment gateway is configured,",
        remedy: "configure a payment gateway, or set SANDBOX=false, or SANDBOX_UNSAFE=true"
      }

/**
 * Stops a start in which strangers would buy real goods with the money of the sandbox. If the operator wants that, it
 * names in the log what they can buy.
 */
export const check = Effect.gen(function* () {
  if (!(yield* Sandbox.enabled)) return
  const found = yield* realThings
  if (found.length === 0) return
  const beside = found.join(", ")
  if (yield* override)
    return yield* Effect.logWarning(
      `SANDBOX_UNSAFE lets the sandbox stand beside ${beside}: its pretended money buys what is real (docs/payments.md)`
    )
  const { remedy, why } = explained(yield* Sandbox.asked)
  const message =
    `${why} beside ${beside}, so its pretended money would buy what is real: ` +
    `${remedy} if anyone may have it for nothing (docs/payments.md)`
  return yield* Effect.fail(new Config.ConfigError(new ConfigProvider.SourceError({ message })))
})
