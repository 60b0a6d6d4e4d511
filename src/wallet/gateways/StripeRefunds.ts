import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import type { ChargeRefund, GatewayFailed, RefundGateway } from "./PaymentGateway.ts"
import * as StripeFailure from "./StripeFailure.ts"
import * as StripeReversals from "./StripeReversals.ts"

/** Answers by which Stripe refuses a refund for good: the charge is refunded or disputed, or cannot be refunded. */
const refusals = [400, 402, 404]

/** Maximum number of refunds in one answer: Stripe's own limit, which is far above the number of refunds of a charge. */
const limit = 100

const decodeRefusal = Schema.decodeUnknownOption(
  Schema.Struct({ statusCode: Schema.Int, message: Schema.String, code: Schema.optional(Schema.String) })
)
const decodeRefund = Schema.decodeUnknownEffect(StripeReversals.Refund)
const decodeRefunds = Schema.decodeUnknownEffect(
  Schema.Struct({ data: Schema.Array(StripeReversals.Refund), has_more: Schema.Boolean })
)

const paramsOf = ({ amount, charge_id, id }: ChargeRefund): Stripe.RefundCreateParams => ({
  payment_intent: charge_id,
  amount: Number(amount / StripeReversals.microsPerCent),
  metadata: { refund_id: id }
})

/** Refunds that this service asks for (docs.stripe.com/refunds). */
export const make = (
  stripe: Stripe,
  ask: <A>(call: () => Promise<A>) => Effect.Effect<A, GatewayFailed>,
  failed: (what: string) => GatewayFailed
): RefundGateway => {
  const refused = Effect.fnUntraced(function* (error: unknown) {
    const refusal = Option.getOrUndefined(decodeRefusal(error))
    if (refusal === undefined || !refusals.includes(refusal.statusCode))
      return yield* failed(StripeFailure.reasonOf(error))
    const failure = failed(refusal.code ?? refusal.message).reason
    return { status: "failed" as const, gateway_refund_id: null, failure }
  })

  const refund: RefundGateway["refund"] = Effect.fn("StripeRefunds.refund")(function* (refund) {
    const answer = yield* ask(() =>
      stripe.refunds.create(paramsOf(refund), { idempotencyKey: refund.id }).then(
        (made): { readonly made?: unknown; readonly error?: unknown } => ({ made }),
        (error: unknown) => ({ error })
      )
    )
    if ("error" in answer) return yield* refused(answer.error)
    const made = Effect.mapError(decodeRefund(answer.made), () => failed("sent a refund that cannot be read"))
    return StripeReversals.outcomeOf(yield* made)
  })

  const find: RefundGateway["find"] = Effect.fn("StripeRefunds.find")(function* ({ charge_id, id }) {
    const answer = yield* ask(() => stripe.refunds.list({ payment_intent: charge_id, limit }))
    const listed = yield* Effect.mapError(decodeRefunds(answer), () => failed("sent refunds that cannot be read"))
    const found = listed.data.find((one) => StripeReversals.ownIdOf(one) === id)
    if (found !== undefined) return Option.some(StripeReversals.outcomeOf(found))
    return listed.has_more ? yield* failed("has more refunds of a charge than the service reads") : Option.none()
  })

  return { unit: StripeReversals.microsPerCent, refund, find }
}
