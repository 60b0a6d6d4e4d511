import { Config, Effect, Option, Schema } from "effect"
import { countryFault } from "../../platform/fields/Country.ts"
import * as ParsedSetting from "../../platform/settings/ParsedSetting.ts"

export const TaxScheme = Schema.Literals(["off", "seller", "destination"])

export interface TaxSetting {
  readonly scheme: typeof TaxScheme.Type
  /** The seller's country; null without tax. */
  readonly country: string | null
}

const country = ParsedSetting.parsed(
  "TAX_COUNTRY",
  "the code of a country, two capital letters such as DE",
  (text) => Option.liftPredicate((code: string) => /^[A-Z]{2}$/.test(code))(text),
  countryFault
)

/** The settings of taxes: the rule (`TAX`) and the country of the seller (`TAX_COUNTRY`). */
export const load = Effect.gen(function* () {
  const scheme = yield* Config.Literals(TaxScheme.literals, "TAX").pipe(Config.withDefault("off" as const))
  return { scheme, country: scheme === "off" ? null : yield* country } satisfies TaxSetting
})
