import { Schema } from "effect"
import { TaxNumber } from "../../wallet/invoices/TaxNumber.ts"
import { TaxRate } from "../../wallet/invoices/TaxRate.ts"

const time = Schema.DateTimeUtcFromString

/** The wire form of a rate. */
export const TaxRateView = Schema.Struct({ ...TaxRate.fields, recorded_at: time }).annotate({ identifier: "TaxRate" })

/** The wire form of a tax number. */
export const TaxNumberView = Schema.Struct({
  ...TaxNumber.fields,
  checked_at: Schema.NullOr(time),
  refused_at: Schema.NullOr(time)
}).annotate({
  identifier: "TaxNumber"
})
