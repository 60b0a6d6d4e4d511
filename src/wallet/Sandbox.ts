import { Config, Effect, Option } from "effect"
import * as GatewaySettings from "./GatewaySettings.ts"
import type { PaymentIntentId } from "./PaymentIntent.ts"

const prefix = "sandbox_"

/** The sandbox's name of a payment, and of the money that it pretends came in for it. */
export const nameOf = (id: PaymentIntentId) => `${prefix}${id}`

/** Says whether the money of a charge is the sandbox's; no other gateway names its charges like this. */
export const isCharge = (charge_id: string) => charge_id.startsWith(prefix)

/** The operator's own choice; none when the operator made none. */
export const asked = Config.option(Config.Boolean("SANDBOX"))

/** Whether payments may be only pretended; so they are for as long as no real gateway is configured. */
export const enabled = Effect.gen(function* () {
  const real = yield* GatewaySettings.load
  return Option.getOrElse(yield* asked, () =>
    Object.values(real).every((gateway: Option.Option<unknown>) => Option.isNone(gateway))
  )
})
