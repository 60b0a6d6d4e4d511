import { Schema } from "effect"
import { Line } from "../../platform/fields/Line.ts"
import { CountryCode } from "./BillingDetails.ts"

export const TaxRateId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("TaxRateId"))
export type TaxRateId = typeof TaxRateId.Type

const isDay = (text: string) => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
}

/** The fields of a rate that the operator gives. */
export const NewTaxRate = Schema.Struct({
  country: CountryCode,
  rate_bp: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({
    description: "The rate in basis points: 1900 is 19 %",
    examples: [1900]
  }),
  note: Schema.NullOr(Line(1, 300)).annotate({
    description: "A sentence that the documents of this rate show, such as the law of an exemption",
    examples: [null]
  }),
  valid_from: Schema.String.check(
    Schema.makeFilter((text) => (/^2\d{3}-\d\d-\d\d$/.test(text) && isDay(text)) || "must be a day such as 2027-01-01")
  ).annotate({
    description: "The first day in UTC. The rate holds until the day of the next one of this country",
    examples: ["2027-01-01"]
  })
})
export type NewTaxRate = typeof NewTaxRate.Type

/** A rate of a country. Of two for the same day, the later record counts. */
export const TaxRate = Schema.Struct({
  id: TaxRateId,
  ...NewTaxRate.fields,
  recorded_at: Schema.DateTimeUtcFromDate,
  recorded_by: Schema.String
})
export type TaxRate = typeof TaxRate.Type
