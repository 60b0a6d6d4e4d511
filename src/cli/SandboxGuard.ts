import { Config, ConfigProvider, Effect, Option, Record, Result } from "effect"
import { NetAddress } from "effect/net"
import { Addresses } from "../platform/Addresses.ts"
import * as PublicAddress from "../platform/PublicAddress.ts"
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
  const vendors = (yield* Names).filter((name) => name !== "gateway")
  const { base_url } = yield* Addresses
  return [
    ...Record.keys(Record.filter(gateways, (gateway: Option.Option<unknown>) => Option.isSome(gateway))).map(
      (name) => `payments by ${name}`
    ),
    ...vendors.map((name) => `proxies of ${name} (PROVIDERS)`),
    ...(isPublic(base_url) ? [`a public address (PUBLIC_URL ${new URL(base_url).origin})`] : [])
  ]
})

/** Stops a start in which strangers would buy real goods with the money of the sandbox, unless the operator wants that. */
export const check = Effect.gen(function* () {
  if (!(yield* Sandbox.enabled) || (yield* override)) return
  const found = yield* realThings
  if (found.length === 0) return
  const message =
    `SANDBOX is on beside ${found.join(", ")}, so its pretended money would buy what is real: ` +
    "set SANDBOX=false, or SANDBOX_UNSAFE=true if anyone may have it for nothing (docs/payments.md)"
  return yield* Effect.fail(new Config.ConfigError(new ConfigProvider.SourceError({ message })))
})
