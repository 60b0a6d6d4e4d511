import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"

export const GatewayRefundId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GatewayRefundId"))
export type GatewayRefundId = typeof GatewayRefundId.Type

/**
 * `booked`: it has left the wallet. `sent`: the gateway is being asked. `unknown`: it did not answer. `pending`: it has
 * accepted. A refund that succeeded may still fail; then the money is in the wallet again, unless other refunds and disputes of
 * the charge claim it.
 */
export const GatewayRefundStatus = Schema.Literals(["booked", "sent", "unknown", "pending", "succeeded", "failed"])
export type GatewayRefundStatus = typeof GatewayRefundStatus.Type

/** Money that goes back to a charge of a payment gateway. */
export const GatewayRefund = Schema.Struct({
  id: GatewayRefundId,
  order_refund_id: Schema.String,
  payment_method: PaymentMethod,
  charge_id: Schema.String,
  user_id: UserId,
  currency: Currency,
  amount: Schema.BigInt,
  withdrawal_id: WalletTransactionId,
  gateway_refund_id: Schema.NullOr(Schema.String),
  /** The part of a failed refund that returned to the wallet. The rest covers refunds and disputes that the gateway reported. */
  given_back: Schema.BigInt,
  status: GatewayRefundStatus,
  failure: Schema.NullOr(Schema.String),
  sent_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate,
  updated_at: Schema.DateTimeUtcFromDate
})
export type GatewayRefund = typeof GatewayRefund.Type
