import { Clock, DateTime, Effect, Redacted, Schema } from "effect"
import type { Stripe } from "stripe"
import { Brand } from "../../brand/Brand.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { StripeSettings } from "../GatewaySettings.ts"
import { CallbackRefused } from "../PaymentErrors.ts"
import {
  type GatewayFailed,
  irrelevant,
  type PaymentEvent,
  type PaymentGateway,
  type RawCallback
} from "./PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { titleOf } from "./PaymentTitle.ts"
import { returnPage } from "./ReturnPage.ts"
import * as StripeCards from "./StripeCards.ts"
import * as StripeEvents from "./StripeEvents.ts"
import * as StripeFailure from "./StripeFailure.ts"
import * as StripeRefunds from "./StripeRefunds.ts"
import * as StripeReversals from "./StripeReversals.ts"
import * as StripeSaving from "./StripeSaving.ts"
import * as AskVendor from "./AskVendor.ts"

/** The smallest charge of Stripe in US dollars: 50 cents. */
const minimum = 50n * StripeReversals.microsPerCent
const tolerance_seconds = 300
/** The service's own time limit ends the call earlier; this one frees the connection. */
const timeout_milliseconds = 10_000

const Session = Schema.Struct({
  id: Schema.String,
  metadata: Schema.optional(Schema.NullOr(StripeReversals.Metadata)),
  status: Schema.optional(Schema.NullOr(Schema.String)),
  payment_status: Schema.String,
  payment_intent: Schema.optional(StripeReversals.Linked),
  amount_total: Schema.optional(Schema.NullOr(StripeReversals.Amount)),
  currency: Schema.optional(Schema.NullOr(Schema.String))
})
type Session = typeof Session.Type

const Call = Schema.Struct({ type: Schema.String, data: Schema.Struct({ object: Schema.Unknown }) })

const isExpired = ({ status }: Session) => status === "expired"

const client = (settings: StripeSettings) =>
  Effect.map(
    Effect.promise(() => import("stripe")),
    ({ Stripe }) => {
      const { hostname, port, protocol } = new URL(settings.api_url)
      const stripe = new Stripe(Redacted.value(settings.secret_key), {
        apiVersion: "2026-10-28.endive",
        maxNetworkRetries: 0,
        timeout: timeout_milliseconds,
        telemetry: false,
        host: hostname,
        port: port === "" ? (protocol === "http:" ? 80 : 443) : port,
        protocol: protocol === "http:" ? "http" : "https"
      })
      const isUnsigned = (error: unknown) => error instanceof Stripe.errors.StripeSignatureVerificationError
      return { stripe, isUnsigned }
    }
  )

/** The events of a session. Sessions of other systems in the same Stripe account are irrelevant. */
const eventsOf = Effect.fnUntraced(function* (
  session: Session,
  ended: boolean,
  failed: (what: string) => GatewayFailed
): Effect.fn.Return<ReadonlyArray<PaymentEvent>, GatewayFailed> {
  const { amount_total, currency, id: external_reference, metadata, payment_intent, payment_status } = session
  const id = StripeReversals.intentOf(metadata)
  if (id === undefined) return irrelevant
  if (payment_status !== "paid")
    return ended ? [{ _tag: "Declined", payment_intent_id: id, external_reference }] : irrelevant
  const charge_id = StripeReversals.idOf(payment_intent)
  if (charge_id === undefined || typeof amount_total !== "number" || currency !== "usd")
    return yield* failed(`reports a payment of ${id} without its amount in dollars`)
  const amount = BigInt(amount_total) * StripeReversals.microsPerCent
  return [{ _tag: "Paid", payment_intent_id: id, charge_id, currency: "USD", amount }]
})

const sessionOf = (
  intent: PaymentIntent,
  title: string,
  return_url: string
): Omit<Stripe.Checkout.SessionCreateParams, "payment_intent_data"> => ({
  mode: "payment",
  allowed_payment_method_types: ["card"],
  client_reference_id: intent.id,
  metadata: { payment_intent_id: intent.id },
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: "usd",
        unit_amount: Number(intent.amount / StripeReversals.microsPerCent),
        product_data: { name: title }
      }
    }
  ],
  expires_at: Math.floor(DateTime.toEpochMillis(intent.expires_at) / 1000),
  success_url: return_url,
  cancel_url: return_url
})

interface Parts {
  readonly ask: <A>(call: () => Promise<A>) => Effect.Effect<A, GatewayFailed>
  readonly cards: ReturnType<typeof StripeCards.make>
  readonly failed: (what: string) => GatewayFailed
  readonly reversals: ReturnType<typeof StripeReversals.make>
}

/** Reads sessions and calls. */
const makeReading = (stripe: Stripe, { ask, cards, failed, reversals }: Parts) => {
  /** Adds the payer, if Stripe names one in time. The payment counts in either case. */
  const withPayer = (event: PaymentEvent): Effect.Effect<PaymentEvent> =>
    event._tag === "Paid"
      ? Effect.match(reversals.payment(event.charge_id), {
          onFailure: () => event,
          onSuccess: (payment) => ({ ...event, ...StripeReversals.payerOf(payment) })
        })
      : Effect.succeed(event)

  const read = Effect.fnUntraced(function* (data: unknown, isEnded: (session: Session) => boolean) {
    const session = yield* Effect.mapError(Schema.decodeUnknownEffect(Session)(data), () =>
      failed("sent a session that cannot be read")
    )
    return yield* Effect.forEach(yield* eventsOf(session, isEnded(session), failed), withPayer)
  })

  const findPayment = Effect.fn("StripeCheckout.findPayment")(function* (intent: PaymentIntent) {
    const { card_id, external_reference } = intent
    if (external_reference === null) return irrelevant
    if (card_id !== null) return yield* cards.charged(external_reference)
    return yield* read(yield* ask(() => stripe.checkout.sessions.retrieve(external_reference)), isExpired)
  })

  const readCall = Effect.fn("StripeCheckout.readCall")(function* (call: unknown) {
    const { data, type } = yield* Effect.mapError(Schema.decodeUnknownEffect(Call)(call), () =>
      failed(AskVendor.unreadableCall)
    )
    if (StripeEvents.reversals.includes(type)) return yield* reversals.eventsOf(type, data.object)
    if (StripeEvents.cards.includes(type))
      return yield* Effect.flatMap(cards.reported(data.object), (events) => Effect.forEach(events, withPayer))
    if (StripeSaving.isSaving(data.object))
      return type === StripeEvents.completed ? yield* cards.savedOn(data.object) : irrelevant
    if (!StripeEvents.paid.includes(type) && !StripeEvents.ended.includes(type)) return irrelevant
    return yield* read(data.object, () => StripeEvents.ended.includes(type))
  })

  return { findPayment, readCall }
}

/** Card payments through Stripe's hosted page (docs.stripe.com/payments/checkout). */
export const make = Effect.fnUntraced(function* (settings: StripeSettings) {
  const { app_url } = yield* Addresses
  const brand = yield* Brand
  const { isUnsigned, stripe } = yield* client(settings)
  const failed = AskVendor.failure("Stripe", [settings.secret_key, settings.webhook_secret])

  const ask = <A>(call: () => Promise<A>) =>
    Effect.tryPromise({
      try: call,
      catch: (error) => failed(StripeFailure.reasonOf(error))
    }).pipe(AskVendor.inTime(failed))

  const createIntent = Effect.fn("StripeCheckout.createIntent")(function* (intent: PaymentIntent, save_card?: boolean) {
    if (intent.amount % StripeReversals.microsPerCent !== 0n) return yield* failed("takes whole cents only")
    const session = {
      ...sessionOf(intent, titleOf(brand, intent), returnPage(app_url, intent)),
      ...StripeSaving.paying(intent, save_card === true)
    }
    const { id, url } = yield* ask(() => stripe.checkout.sessions.create(session, { idempotencyKey: intent.id }))
    if (url === null) return yield* failed("returned no payment page")
    return { payment_url: url, external_reference: id }
  })

  const reversals = StripeReversals.make(stripe, ask, failed)
  const cards = StripeCards.make(stripe, ask, failed, app_url)

  const { findPayment, readCall } = makeReading(stripe, { ask, cards, failed, reversals })

  /** Accepts a signed call even if it cannot be read; reading it then fails. */
  const authenticate = Effect.fnUntraced(function* ({ body, headers }: RawCallback) {
    const now = yield* Clock.currentTimeMillis
    const secret = Redacted.value(settings.webhook_secret)
    const header = headers["stripe-signature"] ?? ""
    return yield* Effect.tryPromise({
      try: () => stripe.webhooks.constructEventAsync(body, header, secret, tolerance_seconds, undefined, now),
      catch: (error) => (isUnsigned(error) ? new CallbackRefused() : failed(AskVendor.unreadableCall))
    }).pipe(
      Effect.map(readCall),
      Effect.catchTag("GatewayFailed", (failure) => Effect.succeed(Effect.fail(failure)))
    )
  })

  const close = Effect.fn("StripeCheckout.close")(function* ({ external_reference }: PaymentIntent) {
    if (external_reference !== null) yield* ask(() => stripe.checkout.sessions.expire(external_reference))
  })

  const gateway: PaymentGateway = {
    payment_method: "card_gateway",
    headers: ["stripe-signature"],
    minimum,
    createIntent,
    findPayment,
    findReversals: reversals.find,
    authenticate,
    cards: cards.gateway,
    refunds: StripeRefunds.make(stripe, ask, failed),
    close
  }
  return gateway
})
