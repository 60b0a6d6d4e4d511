import { Schema } from "effect"

/** The price that the customer agreed to, in units of the currency of the payment: dollars or stars. */
export const ExpectedTotal = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
