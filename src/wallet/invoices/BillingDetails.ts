import { Schema } from "effect"
import { countryFault } from "../../platform/fields/Country.ts"
import { Line } from "../../platform/fields/Line.ts"
import { Text } from "../../platform/fields/Text.ts"

/** The code of a country (ISO 3166-1, alpha-2). */
export const CountryCode = Schema.String.check(
  Schema.makeFilter((code: string) => /^[A-Z]{2}$/.test(code) || "must be two capital letters").abort(),
  Schema.makeFilter((code) => countryFault(code) ?? true)
).annotate({ examples: ["DE"] })

/** Name, address and tax number of a buyer for the next invoices. */
export const BillingDetails = Schema.Struct({
  name: Schema.NullOr(Text(1, 200)),
  address: Schema.NullOr(Text(1, 500)),
  is_business: Schema.Boolean,
  country: Schema.NullOr(CountryCode),
  /** Only of a business. */
  tax_number: Schema.NullOr(Line(1, 40))
})
export type BillingDetails = typeof BillingDetails.Type

export const noDetails: BillingDetails = {
  name: null,
  address: null,
  is_business: false,
  country: null,
  tax_number: null
}
