import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { type Adjustment, AdjustmentCause, AdjustmentId, RequestStatus } from "../../wallet/adjustments/Adjustment.ts"
import { MoneyRole } from "../../wallet/adjustments/MoneyActor.ts"
import * as MoneyText from "./MoneyText.ts"

const time = Schema.DateTimeUtcFromString
const maybe = Schema.NullOr(Schema.String)

/** The fields of a record of money that say who, why and who agreed. */
export const decisionView = {
  reason_code: Schema.String,
  reason: Schema.String,
  customer_text: maybe,
  status: RequestStatus.annotate({ description: "`requested` waits for a second person; nothing is booked yet" }),
  is_over_limit: Schema.Boolean.annotate({ description: "True when a second person had to agree" }),
  created_by: Schema.String,
  created_by_name: Schema.String,
  created_by_role: MoneyRole,
  decided_by: maybe,
  decided_by_name: maybe,
  created_at: time,
  expires_at: time,
  decided_at: Schema.NullOr(time)
}

export const AdjustmentView = Schema.Struct({
  id: AdjustmentId,
  user_id: UserId,
  currency: Money.Currency,
  amount: MoneyText.Shown,
  cause: AdjustmentCause,
  order_id: maybe,
  revokes: Schema.NullOr(AdjustmentId),
  transaction_id: maybe,
  ...decisionView
}).annotate({ identifier: "Adjustment" })

export const adjustmentView = (adjustment: Adjustment): typeof AdjustmentView.Type => {
  const { amount, ...shown } = adjustment
  return { ...shown, amount: Money.toDecimal(adjustment.currency, amount) }
}
