import { Config, Effect, Option, type Redacted, Schema } from "effect"
import { integer } from "../../platform/settings/IntegerSetting.ts"
import type { IpVendor, Quota } from "./IpVendor.ts"

/** The settings of a vendor: `<PREFIX>_API_KEY`, `_API_URL`, `_CALLS_PER_DAY` and `_CALLS_PER_MONTH`. */
export interface VendorSettings {
  readonly api_key: Redacted.Redacted
  readonly api_url: string
  readonly quota: Quota
}

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

const address = (name: string) =>
  Config.schema(
    Schema.Trim.check(
      Schema.makeFilter((text) => isWebAddress(text) || "Expected an address such as https://api.example.com")
    ),
    name
  ).pipe(Config.map((text) => new URL(text).href.replace(/\/+$/, "")))

export const secret = (name: string) =>
  Config.schema(Schema.RedactedFromValue(Schema.Trim.check(Schema.isNonEmpty())), name)

const calls = (name: string) => integer(name, 1, 1_000_000_000).pipe(Config.option, Config.map(Option.getOrUndefined))

const settings = (prefix: string, api_url: string): Config.Config<VendorSettings> =>
  Config.all({
    api_key: secret(`${prefix}_API_KEY`),
    api_url: address(`${prefix}_API_URL`).pipe(Config.withDefault(api_url)),
    quota: Config.all({ per_day: calls(`${prefix}_CALLS_PER_DAY`), per_month: calls(`${prefix}_CALLS_PER_MONTH`) })
  })

/** Builds the vendor whose variables begin with the prefix, when its key is set. */
export const configured = <E, R>(
  prefix: string,
  api_url: string,
  make: (settings: VendorSettings) => Effect.Effect<IpVendor, E, R>
) =>
  Effect.gen(function* () {
    const given = yield* Config.option(settings(prefix, api_url))
    return yield* Effect.forEach(Option.toArray(given), make)
  })
