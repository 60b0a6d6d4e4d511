import { Schema } from "effect"
import { RestrictionId } from "../../accounts/restrictions/Restriction.ts"
import type { UserId } from "../../accounts/User.ts"
import { DisputeState } from "../gateways/PaymentGateway.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { OpenReversal } from "./PaymentReversal.ts"

const when = Schema.DateTimeUtcFromDate

/** A dispute of a charge, with what its gateway tells about it. */
export const Dispute = Schema.Struct({
  ...OpenReversal.fields,
  payment_intent_id: PaymentIntentId,
  given_back: Schema.BigInt,
  /** Null when the gateway reported none. */
  dispute_state: Schema.NullOr(DisputeState),
  reason: Schema.NullOr(Schema.String),
  /** The time until which the gateway takes an answer. */
  answer_by: Schema.NullOr(when),
  /** The restriction that stops the proxies while the dispute is open. */
  restriction_id: Schema.NullOr(RestrictionId),
  updated_at: when
})
export type Dispute = typeof Dispute.Type

/** The id of a dispute at its gateway. */
export const DisputeId = Schema.String.check(Schema.isPattern(/^[\w.:-]{1,255}$/)).annotate({
  examples: ["du_1PqXyz2eZvKYlo2C0a1b2c3d"]
})

export interface DisputeFilter {
  readonly user_id?: UserId | undefined
  readonly state?: DisputeState | undefined
  /** Only disputes that follow this one in the list. */
  readonly after?: string | undefined
}
