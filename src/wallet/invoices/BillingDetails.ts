import { Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"

/** The name and address of a buyer for the next invoices. */
export const BillingDetails = Schema.Struct({
  name: Schema.NullOr(Text(1, 200)),
  address: Schema.NullOr(Text(1, 500))
})
export type BillingDetails = typeof BillingDetails.Type

export const noDetails: BillingDetails = { name: null, address: null }
