import { Config } from "effect"

/** Whether payments are only pretended; so they are for as long as no real gateway is configured. */
export const enabled = Config.Boolean("SANDBOX").pipe(Config.withDefault(true))
