import { Config, Effect, Option } from "effect"
import { parsed } from "../../platform/settings/ParsedSetting.ts"
import { PublicUrl } from "../../platform/settings/Addresses.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"

const parseUrl = (text: string): Option.Option<URL> =>
  Option.filter(Option.fromNullishOr(URL.parse(text.trim())), ({ protocol }) => /^https?:$/.test(protocol))

/** `PROBE_SECONDS`: the time between two tries of a proxy that works. 0: no tries in the background. */
export const ProbeSeconds = Setting.integer("PROBE_SECONDS", 0, 3_600).pipe(Config.withDefault(300))

/** `WARRANTY_REPLACE_MINUTES`: the time after which a failing proxy is replaced without a request. 0: never. */
export const ReplaceMinutes = Setting.integer("WARRANTY_REPLACE_MINUTES", 0, 1_440).pipe(Config.withDefault(30))

const EchoUrl = Config.option(parsed("PROBE_ECHO_URL", "an address such as https://echo.example.com/", parseUrl))

/** `PROBE_ECHO_URL`: the address that probes ask for the address of their caller. By default that of the service. */
export const probeEcho = Effect.gen(function* () {
  const given = yield* EchoUrl
  return Option.isSome(given) ? given.value : new URL(`${yield* PublicUrl}/echo`)
})
