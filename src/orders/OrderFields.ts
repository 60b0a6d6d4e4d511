import { Schema } from "effect"
import { Text } from "../platform/fields/Text.ts"

/** Private notes of the owner about an order. */
export const Notes = Text(0, 1000)

/** The price that a customer agreed to, in the currency of the payment. */
export const ExpectedTotal = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
