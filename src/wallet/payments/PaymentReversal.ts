import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"

/**
 * A refund or dispute that takes back a charge or a part of it. It claims `amount`, which is at most the charge. `debited`
 * is the amount that it took from the wallet: at most the part that no other reversal of the charge claimed.
 */
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

/**
 * A reversal that stops purchases. `short` is the amount that the wallet did not have for all reversals of its charge.
 */
export const OpenReversal = Schema.Struct({ ...PaymentReversal.fields, short: Schema.BigInt })
export type OpenReversal = typeof OpenReversal.Type
