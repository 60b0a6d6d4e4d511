import { Config, Effect, Option } from "effect"
import * as GatewaySettings from "./GatewaySettings.ts"
import type { PaymentIntentId } from "./PaymentIntent.ts"

const prefix = "sandbox_"

/** The sandbox's id of a payment, and of the simulated charge for it. */
export const nameOf = (id: PaymentIntentId) => `${prefix}${id}`

/** True for the id of a sandbox charge; no other gateway uses this prefix. */
export const isCharge = (charge_id: string) => charge_id.startsWith(prefix)

/** The operator's setting, or none when it is not set. */
export const setting = Config.option(Config.Boolean("SANDBOX"))

/** True when payments may be simulated. Without a setting, the sandbox is on until a real gateway is configured. */
export const enabled = Effect.gen(function* () {
  const real = yield* GatewaySettings.load
  return Option.getOrElse(yield* setting, () =>
    Object.values(real).every((gateway: Option.Option<unknown>) => Option.isNone(gateway))
  )
})
