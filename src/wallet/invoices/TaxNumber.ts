import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"

/** The tax number of a business. It counts when staff have checked it. */
export const TaxNumber = Schema.Struct({
  user_id: UserId,
  name: Schema.String,
  country: Schema.String,
  tax_number: Schema.String,
  checked_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  checked_by: Schema.NullOr(Schema.String)
})
export type TaxNumber = typeof TaxNumber.Type
