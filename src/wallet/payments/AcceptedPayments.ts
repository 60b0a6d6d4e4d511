import { Effect, Option } from "effect"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as GatewaySettings from "../GatewaySettings.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import * as Sandbox from "../Sandbox.ts"

/** Who takes the payments of each method, as the settings say. */
export const takers = Effect.gen(function* () {
  const { btcpay, nowPayments, stripe, telegram } = yield* GatewaySettings.load
  const otherwise = (yield* Sandbox.enabled) ? "sandbox" : "off"
  return {
    card_gateway: Option.isSome(stripe) ? "Stripe" : otherwise,
    crypto_gateway: Option.isSome(btcpay) ? "BTCPay" : Option.isSome(nowPayments) ? "NOWPayments" : otherwise,
    messenger_stars: Option.isSome(telegram) ? "Telegram" : otherwise
  } satisfies Record<PaymentMethod, string>
})

/** What keeps payments from being made or from being heard of. */
export const warnings = Effect.gen(function* () {
  const { telegram } = yield* GatewaySettings.load
  const byMethod = yield* takers
  const { base_url } = yield* Addresses
  const isReachable = (method: PaymentMethod) =>
    base_url.startsWith("https:") ||
    (method === "messenger_stars" && Option.exists(telegram, (stars) => Option.isSome(stars.webhook_url)))
  const unheard = PaymentMethod.literals
    .filter((method) => !["off", "sandbox"].includes(byMethod[method]) && !isReachable(method))
    .map((method) => byMethod[method])
  return [
    ...(Object.values(byMethod).every((taker) => taker === "off")
      ? ["No payment method is on: nobody can pay (docs/payments.md)"]
      : []),
    ...(unheard.length > 0
      ? [
          `PUBLIC_URL is not an https address: payments by ${unheard.join(", ")} are not reported to it (docs/payments.md)`
        ]
      : [])
  ]
})
