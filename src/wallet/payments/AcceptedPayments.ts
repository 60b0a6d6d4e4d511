import { Effect, Option } from "effect"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as GatewaySettings from "../GatewaySettings.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import * as Sandbox from "../Sandbox.ts"

/** Names the configured gateway of each payment method; `sandbox` or `off` for a method without one. */
export const gatewayNames = Effect.gen(function* () {
  const { btcpay, nowPayments, stripe, telegram } = yield* GatewaySettings.load
  const otherwise = (yield* Sandbox.enabled) ? "sandbox" : "off"
  return {
    card_gateway: Option.isSome(stripe) ? "Stripe" : otherwise,
    crypto_gateway: Option.isSome(btcpay) ? "BTCPay" : Option.isSome(nowPayments) ? "NOWPayments" : otherwise,
    messenger_stars: Option.isSome(telegram) ? "Telegram" : otherwise
  } satisfies Record<PaymentMethod, string>
})

/** Says that nobody can pay; undefined when a payment method is on. */
export const noMethod = Effect.map(gatewayNames, (byMethod) =>
  Object.values(byMethod).every((name) => name === "off")
    ? "No payment method is on; configure a gateway so that customers can pay (docs/payments.md)"
    : undefined
)

/** Names the gateways that cannot report payments, and the reason; undefined when all can. */
export const unreported = Effect.gen(function* () {
  const { telegram } = yield* GatewaySettings.load
  const byMethod = yield* gatewayNames
  const { base_url } = yield* Addresses
  const isReachable = (method: PaymentMethod) =>
    base_url.startsWith("https:") ||
    (method === "messenger_stars" && Option.exists(telegram, (stars) => Option.isSome(stars.webhook_url)))
  const names = PaymentMethod.literals
    .filter((method) => !["off", "sandbox"].includes(byMethod[method]) && !isReachable(method))
    .map((method) => byMethod[method])
  return names.length === 0
    ? undefined
    : `PUBLIC_URL is not an https address, so ${names.join(", ")} cannot report payments; set a public address (docs/payments.md)`
})

/** Warns about settings that prevent payments, or that prevent a gateway from reporting them. */
export const warnings = Effect.map(Effect.all([noMethod, unreported]), (texts) =>
  texts.filter((text) => text !== undefined)
)
