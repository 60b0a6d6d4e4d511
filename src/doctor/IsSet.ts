import { Config, Option } from "effect"

/** True when a variable has a value. */
export const isSet = (name: string): Config.Config<boolean> =>
  Config.option(Config.String(name)).pipe(Config.map(Option.isSome))
