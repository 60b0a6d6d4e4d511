import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { DisputeState } from "../../wallet/gateways/PaymentGateway.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import { type Dispute, DisputeId } from "../../wallet/payments/Dispute.ts"
import * as MoneyText from "./MoneyText.ts"

const time = Schema.DateTimeUtcFromString
const maybe = Schema.NullOr(Schema.String)

export const DisputeView = Schema.Struct({
  id: DisputeId,
  payment_method: PaymentMethod,
  charge_id: Schema.String,
  payment_intent_id: Schema.String,
  user_id: UserId,
  currency: Money.Currency,
  status: Schema.Literals(["announced", "taken", "returned"]).annotate({
    description:
      "`announced`: an inquiry that takes no money; `taken`: the gateway took the money; `returned`: it is over"
  }),
  state: Schema.NullOr(DisputeState).annotate({
    description: "What the gateway waits for, or how it ended; null when the gateway reported none"
  }),
  reason: maybe.annotate({ description: "The reason in the words of the gateway" }),
  answer_by: Schema.NullOr(time).annotate({ description: "The time until which the gateway takes an answer" }),
  amount: MoneyText.Shown.annotate({ description: "What it claims of the payment" }),
  debited: MoneyText.Shown.annotate({ description: "What it took from the wallet" }),
  given_back: MoneyText.Shown,
  short: MoneyText.Shown.annotate({
    description: "What the wallet did not have for all refunds and disputes of the payment"
  }),
  restriction_id: maybe.annotate({ description: "The restriction by `DISPUTE_POLICY`" }),
  lifted_at: Schema.NullOr(time).annotate({
    description: "The time since which it does not stop the account any more"
  }),
  created_at: time,
  updated_at: time
}).annotate({ identifier: "Dispute" })

export const disputeView = (dispute: Dispute): typeof DisputeView.Type => {
  const { currency, dispute_state, kind: _, reversal_id, ...shown } = dispute
  const text = (amount: bigint) => Money.toDecimal(currency, amount)
  return {
    ...shown,
    id: reversal_id,
    currency,
    state: dispute_state,
    amount: text(dispute.amount),
    debited: text(dispute.debited),
    given_back: text(dispute.given_back),
    short: text(dispute.short)
  }
}
