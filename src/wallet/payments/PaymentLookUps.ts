import { Cause, Context, Effect, Layer, Option } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import { SavedCards } from "../auto-top-up/SavedCards.ts"
import type { GatewayFailed, PaymentEvent, PaymentGateway } from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import * as ChargeCard from "./ChargeCard.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import * as SettleFound from "./SettleFound.ts"

export class PaymentNotFound extends ApiError<PaymentNotFound>()("PaymentNotFound", {
  status: 404,
  detail: "There is no such payment"
}) {}

export class GatewayCannotTell extends ApiError<GatewayCannotTell>()("GatewayCannotTell", {
  status: 409,
  detail: "The gateway of this payment is not configured, or cannot be asked about payments"
}) {}

export class GatewaySilent extends ApiError<GatewaySilent>()("GatewaySilent", {
  status: 503,
  detail: "The payment gateway does not answer; nothing was changed, try again in a moment"
}) {}

const callTimeout = "10 seconds"

const silent = (error: { readonly message: string }) =>
  Effect.andThen(
    Effect.logWarning(...Failure.logLine("Cannot look a payment up at its gateway", Cause.fail(error))),
    Effect.fail(new GatewaySilent())
  )

/** Asks a gateway, with the time limit of a person who waits. */
const asked = <A>(call: Effect.Effect<A, GatewayFailed>) =>
  Effect.interruptible(Effect.timeout(call, callTimeout)).pipe(Effect.catch(silent))

/** Looks payments up at their gateways when a person asks, and settles them as a call of the gateway does. */
export class PaymentLookUps extends Context.Service<
  PaymentLookUps,
  {
    /** Asks for the payment, and for the refunds and disputes of its charges. Books what is not on record yet. */
    readonly lookUp: (id: PaymentIntentId) => Effect.Effect<void, PaymentNotFound | GatewayCannotTell | GatewaySilent>
  }
>()("app/wallet/PaymentLookUps") {
  static readonly layerNoDeps = Layer.effect(
    PaymentLookUps,
    Effect.gen(function* () {
      const cards = yield* SavedCards
      const chargeCard = yield* ChargeCard.make
      const gateways = yield* PaymentGateways
      const repo = yield* PaymentsRepo
      const settleFound = yield* SettleFound.make

      /** Looks a charge of a saved card up. Its outcome has steps of its own. */
      const ofCard = Effect.fnUntraced(function* (intent: PaymentIntent, gateway: PaymentGateway) {
        const card = intent.card_id === null ? Option.none() : yield* cards.find(intent.card_id)
        if (gateway.cards === undefined || Option.isNone(card)) return yield* new GatewayCannotTell()
        if (!(yield* Effect.interruptible(chargeCard.lookUp(intent, card.value)))) return yield* new GatewaySilent()
      })

      const eventsOf = Effect.fnUntraced(function* (
        intent: PaymentIntent,
        { findPayment, findReversals }: PaymentGateway
      ) {
        const payments: ReadonlyArray<PaymentEvent> =
          findPayment === undefined || intent.card_id !== null ? [] : yield* asked(findPayment(intent))
        const charges = findReversals === undefined ? [] : yield* repo.chargesOf(intent.id)
        const reversals = yield* Effect.forEach(charges, (charge) =>
          asked(findReversals?.(charge) ?? Effect.succeed([]))
        )
        return [...payments, ...reversals.flat()]
      })

      const lookUp = Effect.fn("PaymentLookUps.lookUp")(function* (id: PaymentIntentId) {
        const intent = Option.getOrUndefined(yield* repo.find(id))
        if (intent === undefined) return yield* new PaymentNotFound()
        const gateway = gateways.get(intent.payment_method)
        if (gateway === undefined || (intent.card_id === null && gateway.findPayment === undefined))
          return yield* new GatewayCannotTell()
        if (intent.card_id !== null) yield* ofCard(intent, gateway)
        yield* settleFound(intent, yield* eventsOf(intent, gateway))
        // A request that hangs up does not interrupt the settlement.
      }, Effect.uninterruptible)

      return PaymentLookUps.of({ lookUp })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([PaymentSettlement.layer, PaymentsRepo.layer, SavedCards.layer])
  )
}
