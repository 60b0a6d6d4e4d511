import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { UserId } from "../../accounts/User.ts"
import { Text } from "../../platform/fields/Text.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import type { CardGateway, CardSaved, GatewayFailed } from "./PaymentGateway.ts"
import * as StripeReversals from "./StripeReversals.ts"

const Saving = Schema.Struct({
  mode: Schema.Literal("setup"),
  status: Schema.optional(Schema.NullOr(Schema.String)),
  setup_intent: Schema.optional(StripeReversals.Linked),
  metadata: Schema.optional(Schema.NullOr(Schema.Struct({ user_id: Schema.optional(Schema.Unknown) })))
})
const decodeSaving = Schema.decodeUnknownOption(Saving)

/** True for the page on which a card is saved. */
export const isSaving = (data: unknown) => Option.isSome(decodeSaving(data))

/** A card with the payment that it made, or with the page on which it was entered. A removed card has no customer. */
const Setup = Schema.Struct({
  status: Schema.String,
  payment_method: Schema.NullOr(
    Schema.Struct({
      id: Text(1, 255),
      customer: Schema.optional(StripeReversals.Linked),
      card: Schema.optional(
        Schema.NullOr(
          Schema.Struct({
            brand: Text(1, 50),
            last4: Schema.String,
            exp_month: Schema.Int,
            exp_year: Schema.Int
          })
        )
      )
    })
  )
})

/** A customer of its own for each card, so that nothing of the card stays when it is removed. */
const customer_creation = "always"

/** The payment on a checkout page, which also saves its card if the customer asks for it. */
export const paying = (
  { id: payment_intent_id, user_id }: PaymentIntent,
  save_card: boolean
): Pick<Stripe.Checkout.SessionCreateParams, "customer_creation" | "payment_intent_data"> =>
  save_card
    ? {
        customer_creation,
        payment_intent_data: {
          setup_future_usage: "off_session",
          metadata: { payment_intent_id, save_card_of: user_id }
        }
      }
    : { payment_intent_data: { metadata: { payment_intent_id } } }

type Ask = <A>(call: () => Promise<A>) => Effect.Effect<A, GatewayFailed>
type Failed = (what: string) => GatewayFailed

/** Cards that customers save at Stripe (docs.stripe.com/payments/save-and-reuse). */
export const make = (stripe: Stripe, ask: Ask, failed: Failed, app_url: string) => {
  const readSetup = Schema.decodeUnknownEffect(Setup)
  const page = `${app_url}/wallet/auto-top-up`

  const begin: CardGateway["begin"] = Effect.fn("StripeSaving.begin")(function* (user_id) {
    const session: Stripe.Checkout.SessionCreateParams = {
      mode: "setup",
      allowed_payment_method_types: ["card"],
      customer_creation,
      metadata: { user_id },
      setup_intent_data: { metadata: { user_id } },
      // Stripe writes the session's id in place of the braces.
      success_url: `${page}?page_id={CHECKOUT_SESSION_ID}`,
      cancel_url: page
    }
    const { url } = yield* ask(() => stripe.checkout.sessions.create(session))
    return url ?? (yield* failed("returned no page to save a card"))
  })

  /** Reads a card that Stripe keeps for the owner in the metadata. */
  const kept = Effect.fnUntraced(function* (
    user_id: unknown,
    asked: () => Promise<unknown>
  ): Effect.fn.Return<ReadonlyArray<CardSaved>, GatewayFailed> {
    const owner = Schema.decodeUnknownOption(UserId)(user_id)
    if (Option.isNone(owner)) return []
    const answer = yield* ask(asked)
    const setup = yield* Effect.mapError(readSetup(answer), () => failed("sent a saved card that cannot be read"))
    const { card, customer, id: card_reference } = setup.payment_method ?? {}
    const customer_reference = StripeReversals.idOf(customer)
    if (setup.status !== "succeeded" || !card || customer_reference === undefined || card_reference === undefined)
      return []
    const { brand, exp_month: expiry_month, exp_year: expiry_year, last4: last_digits } = card
    return [
      {
        _tag: "CardSaved",
        user_id: owner.value,
        customer_reference,
        card_reference,
        brand,
        last_digits,
        expiry_month,
        expiry_year
      }
    ]
  })

  const expand = ["payment_method"]

  const savedOn = Effect.fn("StripeSaving.savedOn")(function* (
    data: unknown
  ): Effect.fn.Return<ReadonlyArray<CardSaved>, GatewayFailed> {
    const saving = Option.getOrUndefined(decodeSaving(data))
    const setup_id = StripeReversals.idOf(saving?.setup_intent)
    if (setup_id === undefined || saving?.status !== "complete") return []
    return yield* kept(saving.metadata?.user_id, () => stripe.setupIntents.retrieve(setup_id, { expand }))
  })

  /** The card of a payment whose customer wanted to save it. */
  const savedBy = (payment_id: string, owner: unknown) =>
    kept(owner, () => stripe.paymentIntents.retrieve(payment_id, { expand }))

  const saved: CardGateway["saved"] = Effect.fn("StripeSaving.saved")(function* (page_id) {
    return yield* savedOn(yield* ask(() => stripe.checkout.sessions.retrieve(page_id)))
  })

  return { begin, saved, savedBy, savedOn }
}
