import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"

/** The reasons to refuse a share or to take it back. */
export type ShareRefusal = "same_address" | "same_payer" | "unverified" | "referrer_left" | "reversed"

/**
 * A share of a referred payment. It is held first, then credited or refused, and taken back if the payment is reversed. If a
 * refund that took it back fails later, the share is held again, as the next round.
 */
export const ReferralShare = Schema.Struct({
  payment_method: PaymentMethod,
  charge_id: Schema.String,
  round: Schema.Int,
  referrer_id: UserId,
  referred_id: UserId,
  currency: Currency,
  amount: Schema.BigInt,
  status: Schema.Literals(["held", "credited", "refused", "taken_back"]),
  due_at: Schema.DateTimeUtcFromDate,
  transaction_id: Schema.NullOr(WalletTransactionId),
  /** The part of a credited share that was debited again. */
  returned: Schema.BigInt,
  created_at: Schema.DateTimeUtcFromDate
})
export type ReferralShare = typeof ReferralShare.Type
