import { Schema } from "effect"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import { PaymentMethod } from "./PaymentMethod.ts"

/** What a gateway took back of a charge, and what of it the wallet gave. */
export const PaymentReversal = Schema.Struct({
  payment_method: PaymentMethod,
  reversal_id: Schema.String,
  charge_id: Schema.String,
  user_id: UserId,
  currency: Currency,
  kind: Schema.Literals(["refund", "dispute"]),
  status: Schema.Literals(["announced", "taken", "returned"]),
  amount: Schema.BigInt,
  debited: Schema.BigInt,
  lifted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate
})
export type PaymentReversal = typeof PaymentReversal.Type
