import { Schema } from "effect"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import { PaymentMethod } from "./PaymentMethod.ts"

/** A refund or dispute, which takes a charge back or a part of it; the wallet had `debited` of the `amount`. */
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
