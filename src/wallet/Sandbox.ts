import { Config, Effect, Option } from "effect"
import * as GatewaySettings from "./GatewaySettings.ts"

/** Whether payments may be only pretended; so they are for as long as no real gateway is configured. */
export const enabled = Effect.gen(function* () {
  const asked = yield* Config.option(Config.Boolean("SANDBOX"))
  const real = yield* GatewaySettings.load
  return Option.getOrElse(asked, () =>
    Object.values(real).every((gateway: Option.Option<unknown>) => Option.isNone(gateway))
  )
})
