import { Schema, SchemaGetter } from "effect"
import { TaxRateView } from "./TaxView.ts"

/** Decodes a percentage that a person typed, such as `7.7`, to basis points. A comma may stand for the point. */
export const BasisPoints = Schema.Trim.check(Schema.isPattern(/^\d{1,3}([.,]\d{1,2})?$/)).pipe(
  Schema.decodeTo(TaxRateView.fields.rate_bp, {
    decode: SchemaGetter.transform((text) => {
      const [whole = "", part = ""] = text.split(/[.,]/)
      return Number(whole) * 100 + Number(part.padEnd(2, "0"))
    }),
    encode: SchemaGetter.transform((points) => String(points / 100))
  })
)
