import { DateTime, Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { Text } from "../../platform/fields/Text.ts"
import {
  type DisputeState,
  type DisputeReport,
  type GatewayFailed,
  irrelevant,
  type PaymentEvent,
  type RefundOutcome,
  type Reversed
} from "./PaymentGateway.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import * as StripeEvents from "./StripeEvents.ts"

export const microsPerCent = 10_000n

const ChargeId = Text(1, 255)
export const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e11 }))
export const Linked = Schema.NullOr(Schema.Union([ChargeId, Schema.Struct({ id: ChargeId })]))
/** Only the creator of a session can set its metadata; a customer can choose other references. */
export const Metadata = Schema.Struct({ payment_intent_id: Schema.optional(Schema.Unknown) })

/** The payment that a charge, refund or dispute belongs to. */
const About = Schema.Struct({ payment_intent: Schema.optional(Linked) })

export const Refund = Schema.Struct({
  id: ChargeId,
  payment_intent: Schema.optional(Linked),
  amount: Amount,
  currency: Schema.String,
  status: Schema.optional(Schema.NullOr(Schema.String)),
  failure_reason: Schema.optional(Schema.NullOr(Schema.String)),
  // Only this service can set it; it names the refund that this service asked for.
  metadata: Schema.optional(Schema.NullOr(Schema.Struct({ refund_id: Schema.optional(Schema.Unknown) })))
})

/** In seconds; 0 when no answer is possible. */
const DueBy = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e11 }))

const Dispute = Schema.Struct({
  id: ChargeId,
  payment_intent: Schema.optional(Linked),
  amount: Amount,
  currency: Schema.String,
  status: Schema.String,
  reason: Schema.optional(Schema.NullOr(Text(1, 100))),
  evidence_details: Schema.optional(Schema.NullOr(Schema.Struct({ due_by: Schema.optional(Schema.NullOr(DueBy)) })))
})

/** A payment of Stripe: of a checkout session, or of a saved card. */
export const Payment = Schema.Struct({
  metadata: Schema.optional(Schema.NullOr(Metadata)),
  amount_received: Amount,
  currency: Schema.String,
  latest_charge: Schema.optional(
    Schema.NullOr(
      Schema.Union([
        Schema.String,
        Schema.Struct({
          payment_method_details: Schema.optional(
            Schema.NullOr(
              Schema.Struct({
                card: Schema.optional(
                  Schema.NullOr(Schema.Struct({ fingerprint: Schema.optional(Schema.NullOr(ChargeId)) }))
                )
              })
            )
          )
        })
      ])
    )
  )
})

export const idOf = (linked: typeof Linked.Type | undefined) => (typeof linked === "string" ? linked : linked?.id)

/** A reversal in another currency counts for the whole charge, because its part of the charge is unknown. */
const microsOf = ({ amount, currency }: typeof Refund.Type | typeof Dispute.Type) =>
  currency === "usd" ? BigInt(amount) * microsPerCent : null

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

/** The id of a refund that this service asked for; undefined for others. */
export const ownIdOf = ({ metadata }: typeof Refund.Type): string | undefined =>
  isUuid(metadata?.refund_id) ? metadata.refund_id : undefined

const hasFailed = ({ status }: typeof Refund.Type) => ["failed", "canceled"].includes(status ?? "")

export const outcomeOf = (refund: typeof Refund.Type): RefundOutcome => ({
  status: hasFailed(refund) ? "failed" : refund.status === "succeeded" ? "succeeded" : "pending",
  gateway_refund_id: refund.id,
  failure: hasFailed(refund) ? (refund.failure_reason ?? refund.status ?? null) : null
})

const ownOf = (refund: typeof Refund.Type) => {
  const id = ownIdOf(refund)
  return id === undefined ? {} : { own: { id, outcome: outcomeOf(refund) } }
}

const refunded = (charge_id: string, refund: typeof Refund.Type): Reversed => ({
  _tag: "Reversed",
  ...ownOf(refund),
  charge_id,
  reversal_id: refund.id,
  kind: "refund",
  status: hasFailed(refund) ? "returned" : "taken",
  amount: microsOf(refund)
})

/**
 * An inquiry (`warning_...`) takes no money. A dispute takes the money when it begins, and returns it when it is won.
 */
const statusOf = ({ status }: Pick<typeof Dispute.Type, "status">) => {
  if (["won", "warning_closed", "prevented"].includes(status)) return "returned"
  return status.startsWith("warning_") ? "announced" : "taken"
}

const stateOf = ({ status }: typeof Dispute.Type): DisputeState => {
  if (status === "won" || status === "lost") return status
  if (status.endsWith("needs_response")) return "needs_answer"
  return statusOf({ status }) === "returned" ? "closed" : "under_review"
}

const reportOf = (dispute: typeof Dispute.Type): DisputeReport => {
  const due_by = dispute.evidence_details?.due_by ?? 0
  return {
    state: stateOf(dispute),
    reason: dispute.reason ?? null,
    answer_by: due_by === 0 ? null : DateTime.makeUnsafe(due_by * 1000)
  }
}

const disputed = (charge_id: string, dispute: typeof Dispute.Type): Reversed => ({
  _tag: "Reversed",
  charge_id,
  reversal_id: dispute.id,
  kind: "dispute",
  status: statusOf(dispute),
  amount: microsOf(dispute),
  dispute: reportOf(dispute)
})

const ListOf = <S extends Schema.Constraint>(item: S) => Schema.Struct({ data: Schema.Array(item) })
const Refunds = ListOf(Refund)
const Disputes = ListOf(Dispute)

/** The payment intent of this service; undefined for other payments of the Stripe account. */
export const intentOf = (metadata: typeof Metadata.Type | null | undefined): PaymentIntentId | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(PaymentIntentId)(metadata?.payment_intent_id))

/** The card's fingerprint, which is the same for every account that pays with the card. */
export const payerOf = ({ latest_charge: charge }: Pick<typeof Payment.Type, "latest_charge">) => {
  const fingerprint = typeof charge === "string" ? undefined : charge?.payment_method_details?.card?.fingerprint
  return typeof fingerprint === "string" ? { payer: `card:${fingerprint}` } : {}
}

/** Maximum number of refunds or disputes in one answer: Stripe's own limit. */
const limit = 100

/** Reads refunds and disputes (docs.stripe.com/refunds, docs.stripe.com/disputes). */
export const make = (
  stripe: Stripe,
  ask: <A>(call: () => Promise<A>) => Effect.Effect<A, GatewayFailed>,
  failed: (what: string) => GatewayFailed
) => {
  const decode = <A>(schema: Schema.ConstraintDecoder<A>, what: string) => {
    const decode = Schema.decodeUnknownEffect(schema)
    return (data: unknown) => Effect.mapError(decode(data), () => failed(`sent ${what} that cannot be read`))
  }
  const about = decode(About, "a reversal")
  const readPayment = decode(Payment, "a payment")
  const readRefund = decode(Refund, "a refund")
  const readDispute = decode(Dispute, "a dispute")
  const readRefunds = decode(Refunds, "refunds")
  const readDisputes = decode(Disputes, "disputes")

  const payment = (charge_id: string) =>
    Effect.flatMap(
      ask(() => stripe.paymentIntents.retrieve(charge_id, { expand: ["latest_charge"] })),
      readPayment
    )

  const find = Effect.fn("StripeReversals.find")(function* (charge_id: string) {
    const query = { payment_intent: charge_id, limit }
    const refunds = yield* readRefunds(yield* ask(() => stripe.refunds.list(query)))
    const disputes = yield* readDisputes(yield* ask(() => stripe.disputes.list(query)))
    return [
      ...refunds.data.map((refund) => refunded(charge_id, refund)),
      ...disputes.data.map((dispute) => disputed(charge_id, dispute))
    ]
  })

  /** The payment, which is reported before its reversal because its own call may not have arrived yet. */
  const paid = (charge_id: string, { amount_received, currency, metadata, ...payment }: typeof Payment.Type) => {
    const id = intentOf(metadata)
    if (id === undefined || currency !== "usd") return irrelevant
    const amount = BigInt(amount_received) * microsPerCent
    const event: PaymentEvent = {
      _tag: "Paid",
      payment_intent_id: id,
      charge_id,
      currency: "USD",
      amount,
      ...payerOf(payment)
    }
    return [event]
  }

  const eventsOf = Effect.fn("StripeReversals.eventsOf")(function* (
    type: string,
    data: unknown
  ): Effect.fn.Return<ReadonlyArray<PaymentEvent>, GatewayFailed> {
    const charge_id = idOf((yield* about(data)).payment_intent)
    if (charge_id === undefined) return irrelevant
    const ours = yield* payment(charge_id)
    if (intentOf(ours.metadata) === undefined) return irrelevant
    const reversed =
      type === StripeEvents.refunded
        ? yield* find(charge_id)
        : StripeEvents.disputes.includes(type)
          ? [disputed(charge_id, yield* readDispute(data))]
          : [refunded(charge_id, yield* readRefund(data))]
    return [...paid(charge_id, ours), ...reversed]
  })

  return { payment, find, eventsOf }
}
