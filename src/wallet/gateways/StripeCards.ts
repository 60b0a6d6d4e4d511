import { DateTime, Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { Text } from "../../platform/fields/Text.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import {
  type CardGateway,
  type CardReference,
  type Decline,
  type GatewayFailed,
  irrelevant,
  noCharge,
  type PaymentEvent
} from "./PaymentGateway.ts"
import { CardError, declineOf } from "./StripeDecline.ts"
import * as StripeFailure from "./StripeFailure.ts"
import * as StripeReversals from "./StripeReversals.ts"
import * as StripeSaving from "./StripeSaving.ts"

type Events = ReadonlyArray<PaymentEvent>

/** Marks the payments of saved cards, for events and look-ups. */
const mark = { off_session: "true" }

const Payment = Schema.Struct({
  ...StripeReversals.Payment.fields,
  id: Text(1, 255),
  status: Schema.String,
  metadata: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        ...StripeReversals.Metadata.fields,
        off_session: Schema.optional(Schema.Unknown),
        save_card_of: Schema.optional(Schema.Unknown)
      })
    )
  ),
  last_payment_error: Schema.optional(Schema.NullOr(CardError))
})
type Payment = typeof Payment.Type

const Payments = Schema.Struct({ data: Schema.Array(Payment), has_more: Schema.Boolean })

/** A declined charge: an error with the payment that it left. */
const Refused = Schema.Struct({ ...CardError.fields, statusCode: Schema.Int, payment_intent: Schema.optional(Payment) })

/** Answers to a first request by which Stripe made no payment: it refused the request before it asked the card's bank. */
const refusals = [400, 401, 403, 404, 429]

/** The time before a payment in which its charge is looked for, because clocks differ. */
const slack = { minutes: 10 }
const limit = 100

const isOurs = ({ metadata }: Payment) => metadata?.off_session === mark.off_session

const declined = (payment_intent_id: PaymentIntent["id"], external_reference: string, decline: Decline): Events => [
  { _tag: "Declined", payment_intent_id, external_reference, decline }
]

const chargeOf = (intent: PaymentIntent, card: CardReference): Stripe.PaymentIntentCreateParams => ({
  amount: Number(intent.amount / StripeReversals.microsPerCent),
  currency: "usd",
  customer: card.customer_reference,
  payment_method: card.card_reference,
  allowed_payment_method_types: ["card"],
  // A card that wants the customer elsewhere is declined.
  automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  off_session: true,
  confirm: true,
  expand: ["latest_charge"],
  metadata: { payment_intent_id: intent.id, ...mark }
})

type Ask = <A>(call: () => Promise<A>) => Effect.Effect<A, GatewayFailed>
type Failed = (what: string) => GatewayFailed

/** Reads payments of saved cards (docs.stripe.com/payments/paymentintents/lifecycle). */
const makePayments = (stripe: Stripe, ask: Ask, failed: Failed) => {
  const readPayment = Schema.decodeUnknownEffect(Payment)
  const read = (data: unknown) => Effect.mapError(readPayment(data), () => failed("sent a payment that cannot be read"))

  const paid = Effect.fnUntraced(function* (id: PaymentIntent["id"], payment: Payment) {
    if (payment.currency !== "usd") return yield* failed(`reports a payment of ${id} without its amount in dollars`)
    const event: PaymentEvent = {
      _tag: "Paid",
      payment_intent_id: id,
      charge_id: payment.id,
      currency: "USD",
      amount: BigInt(payment.amount_received) * StripeReversals.microsPerCent,
      ...StripeReversals.payerOf(payment)
    }
    return [event]
  })

  /**
   * The events of a payment. Only a cancelled payment can bring no more money, so one that Stripe left open after a decline is
   * cancelled first.
   */
  const eventsOf = Effect.fnUntraced(function* (
    payment: Payment,
    decline = declineOf(payment.last_payment_error)
  ): Effect.fn.Return<Events, GatewayFailed> {
    const id = StripeReversals.intentOf(payment.metadata)
    if (id === undefined || !isOurs(payment)) return irrelevant
    if (payment.status === "succeeded") return yield* paid(id, payment)
    if (payment.status === "canceled") return declined(id, payment.id, decline)
    if (payment.status === "processing") return irrelevant
    const reason = payment.status === "requires_action" ? "authentication_required" : decline
    const cancelled = Effect.catch(
      ask(() => stripe.paymentIntents.cancel(payment.id)),
      // Stripe cancels no payment that another call has just ended.
      () => ask(() => stripe.paymentIntents.retrieve(payment.id))
    )
    const ended = yield* read(yield* cancelled)
    if (ended.status === "succeeded") return yield* paid(id, ended)
    return ended.status === "canceled" ? declined(id, payment.id, reason) : irrelevant
  })

  return { read, eventsOf }
}

const makeCharging = (
  stripe: Stripe,
  ask: Ask,
  failed: Failed,
  savedBy: ReturnType<typeof StripeSaving.make>["savedBy"]
) => {
  const { eventsOf, read } = makePayments(stripe, ask, failed)
  const readPayments = Schema.decodeUnknownEffect(Payments)
  const decodeRefused = Schema.decodeUnknownOption(Refused)

  const refused = Effect.fnUntraced(function* (
    intent: PaymentIntent,
    error: unknown
  ): Effect.fn.Return<Events, GatewayFailed> {
    const failure = failed(StripeFailure.reasonOf(error))
    const refusal = Option.getOrUndefined(decodeRefused(error))
    if (refusal?.payment_intent !== undefined) return yield* eventsOf(refusal.payment_intent, declineOf(refusal))
    if (refusal === undefined || !refusals.includes(refusal.statusCode)) return yield* failure
    yield* Effect.logError(`Stripe refused to charge a saved card for payment ${intent.id}`, failure.reason)
    const decline = declineOf(refusal)
    return declined(intent.id, noCharge, decline === "declined" ? "not_charged" : decline)
  })

  const charge: CardGateway["charge"] = Effect.fn("StripeCards.charge")(function* (intent, card) {
    if (intent.amount % StripeReversals.microsPerCent !== 0n) return yield* failed("takes whole cents only")
    const charged = yield* ask(() =>
      stripe.paymentIntents.create(chargeOf(intent, card), { idempotencyKey: intent.id }).then(
        (payment): { readonly payment?: unknown; readonly error?: unknown } => ({ payment }),
        (error: unknown) => ({ error })
      )
    )
    return "error" in charged
      ? yield* refused(intent, charged.error)
      : yield* Effect.flatMap(read(charged.payment), (payment) => eventsOf(payment))
  })

  const find: CardGateway["find"] = Effect.fn("StripeCards.find")(function* ({ created_at, id }, card) {
    const since = Math.floor(DateTime.toEpochMillis(DateTime.subtract(created_at, slack)) / 1000)
    const query = { customer: card.customer_reference, created: { gte: since }, limit, expand: ["data.latest_charge"] }
    const listed = yield* Effect.mapError(readPayments(yield* ask(() => stripe.paymentIntents.list(query))), () =>
      failed("sent payments that cannot be read")
    )
    const found = listed.data.find((payment) => isOurs(payment) && StripeReversals.intentOf(payment.metadata) === id)
    if (found !== undefined) return Option.some(yield* eventsOf(found))
    return listed.has_more ? yield* failed("has more payments of a card than the service reads") : Option.none()
  })

  const retrieve = (charge_id: string) =>
    Effect.flatMap(
      ask(() => stripe.paymentIntents.retrieve(charge_id, { expand: ["latest_charge"] })),
      read
    )

  /** The charge with Stripe's id, if it took money. Changes nothing at Stripe. */
  const charged = Effect.fn("StripeCards.charged")(function* (charge_id: string) {
    const payment = yield* retrieve(charge_id)
    return payment.status === "succeeded" ? yield* eventsOf(payment) : irrelevant
  })

  /** The events of a call. Its content may be older than the payment, so a payment that is not paid is read again. */
  const reported = Effect.fn("StripeCards.reported")(function* (data: unknown) {
    const payment = yield* read(data)
    const saves = payment.metadata?.save_card_of !== undefined && payment.status === "succeeded"
    if (saves) return yield* savedBy(payment.id, payment.metadata?.save_card_of)
    if (!isOurs(payment)) return irrelevant
    if (payment.status === "succeeded") return yield* eventsOf(payment)
    return yield* eventsOf(yield* retrieve(payment.id), declineOf(payment.last_payment_error))
  })

  return { charge, find, charged, reported }
}

const decodeAnswer = Schema.decodeUnknownOption(Schema.Struct({ statusCode: Schema.Int }))

/** Takes an answer that a card or a customer is not there any more for success. */
const unlessGone = (call: () => Promise<unknown>, gone: ReadonlyArray<number>) => () =>
  call().catch((error: unknown) => {
    if (!Option.exists(decodeAnswer(error), ({ statusCode }) => gone.includes(statusCode))) throw error
  })

/** Saved cards of Stripe, charged without the customer (docs.stripe.com/payments/save-and-reuse). */
export const make = (stripe: Stripe, ask: Ask, failed: Failed, app_url: string) => {
  const { begin, saved, savedBy, savedOn } = StripeSaving.make(stripe, ask, failed, app_url)
  const { charge, charged, find, reported } = makeCharging(stripe, ask, failed, savedBy)

  const remove: CardGateway["remove"] = Effect.fn("StripeCards.remove")(function* (card) {
    // Stripe answers 400 about a card that belongs to no customer.
    yield* ask(unlessGone(() => stripe.paymentMethods.detach(card.card_reference), [400, 404]))
    yield* ask(unlessGone(() => stripe.customers.del(card.customer_reference), [404]))
  })

  const gateway: CardGateway = { begin, saved, remove, charge, find }
  return { gateway, charged, reported, savedOn }
}
