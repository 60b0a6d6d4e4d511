import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Text } from "../../platform/fields/Text.ts"
import { Currency } from "../../platform/Money.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"
import { MoneyRole } from "./MoneyActor.ts"

export const AdjustmentId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AdjustmentId"))
export type AdjustmentId = typeof AdjustmentId.Type

export const AdjustmentCause = Schema.Literals(["goodwill", "correction", "goodwill_revoked"])
export type AdjustmentCause = typeof AdjustmentCause.Type

export const RequestStatus = Schema.Literals(["requested", "booked", "declined", "expired"])
export type RequestStatus = typeof RequestStatus.Type

/** A short name of a reason, for reports. */
export const ReasonCode = Schema.String.check(Schema.isPattern(/^[a-z_]{1,40}$/))
/** The reason in words, for staff. */
export const Reason = Text(3, 1000)
/** The reason for the customer: the description of the ledger entry. */
export const CustomerText = Text(3, 200)

const when = Schema.DateTimeUtcFromDate

/** Who asked for it, and who agreed. `decided_by` is null when nobody else had to agree. */
export const decisionFields = {
  reason_code: ReasonCode,
  reason: Reason,
  customer_text: Schema.NullOr(CustomerText),
  status: RequestStatus,
  /** True: a second person must agree. */
  is_over_limit: Schema.Boolean,
  created_by: Schema.String,
  created_by_name: Schema.String,
  created_by_role: MoneyRole,
  decided_by: Schema.NullOr(Schema.String),
  decided_by_name: Schema.NullOr(Schema.String),
  created_at: when,
  /** A request that nobody has decided expires at this time. */
  expires_at: when,
  decided_at: Schema.NullOr(when)
}

/** A credit or a debit of a wallet by staff. `amount` is signed. */
export const Adjustment = Schema.Struct({
  id: AdjustmentId,
  user_id: UserId,
  currency: Currency,
  amount: Schema.BigInt,
  cause: AdjustmentCause,
  order_id: Schema.NullOr(Schema.String),
  /** The goodwill credit that this one takes back. */
  revokes: Schema.NullOr(AdjustmentId),
  transaction_id: Schema.NullOr(WalletTransactionId),
  ...decisionFields
})
export type Adjustment = typeof Adjustment.Type

/** The fields that the request for an adjustment chooses. */
export type AdjustmentRequest = Pick<
  Adjustment,
  "id" | "user_id" | "currency" | "amount" | "reason_code" | "reason" | "customer_text" | "order_id"
> & { readonly cause: "goodwill" | "correction" }

export interface AdjustmentFilter {
  readonly user_id?: UserId | undefined
  readonly status?: RequestStatus | undefined
  /** Only adjustments that follow this one in the list. */
  readonly after?: AdjustmentId | undefined
}
