import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"

/** The reasons to refuse a share or to take it back. */
export type ShareRefusal = "same_address" | "same_payer" | "unverified" | "referrer_left" | "reversed"

/**
 * A share of a referred payment. It is held first, then credited or refused, and taken back if the payment is reversed.
 */
export const ReferralShare = Schema.Struct({
  payment_method: PaymentMethod,
  charge_id: Schema.String,
  referrer_id: UserId,
  referred_id: UserId,
  currency: Currency,
  amount: Schema.BigInt,
  status: Schema.Literals(["held", "credited", "refused", "taken_back"]),
  transaction_id: Schema.NullOr(WalletTransactionId),
  created_at: Schema.DateTimeUtcFromDate
})
export type ReferralShare = typeof ReferralShare.Type
