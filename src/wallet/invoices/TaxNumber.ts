import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"

/** The tax number of a business that gave name, address and country. It counts when staff have checked it. */
export const TaxNumber = Schema.Struct({
  user_id: UserId,
  name: Schema.String,
  country: Schema.String,
  tax_number: Schema.String,
  checked_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  checked_by: Schema.NullOr(Schema.String),
  /** When staff found that the number is wrong. */
  refused_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type TaxNumber = typeof TaxNumber.Type

/** A business as staff saw it. */
export type SeenTaxNumber = Pick<TaxNumber, "name" | "country" | "tax_number">
