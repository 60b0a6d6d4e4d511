import { Cause, DateTime, Effect } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { type CardReference, noCharge, type PaymentEvent } from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const callTimeout = "10 seconds"
/** A process that stood still after it stored a payment does not charge any more: others have begun to look it up. */
const latestStart = { seconds: 30 }
/**
 * The age at which a charge that the gateway does not know was never made. It is far above `latestStart` and the time limit
 * of the call, so that no request can be under way.
 */
const neverMade = { minutes: 10 }

const warn = (what: string) => (error: { readonly message: string }) =>
  Effect.logWarning(...Failure.logLine(what, Cause.fail(error)))

/**
 * Charges a saved card once, and books the outcome as a call of the gateway does. A charge whose outcome is unknown is never
 * made again, but looked up at the gateway until it is known.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const gateway = (yield* PaymentGateways).get("card_gateway")?.cards
  const repo = yield* PaymentsRepo
  const settlement = yield* PaymentSettlement

  /** A cancelled charge brings no more money, so it is not looked up again. */
  const book = Effect.fnUntraced(function* ({ id }: PaymentIntent, events: ReadonlyArray<PaymentEvent>) {
    if (events.length === 0) return
    yield* settlement.settle("card_gateway", events)
    if (events.some(({ _tag }) => _tag === "Declined")) yield* repo.forget(id)
  }, atomically)

  /** Ends a charge that was never made. It is looked up for another day, because money that comes in must not be lost. */
  const giveUp = ({ id }: PaymentIntent) =>
    atomically(
      settlement.settle("card_gateway", [
        { _tag: "Declined", payment_intent_id: id, external_reference: noCharge, decline: "not_charged" }
      ])
    )

  const charge = Effect.fn("ChargeCard.charge")(function* (intent: PaymentIntent, card: CardReference) {
    if (gateway === undefined) return
    if (DateTime.isGreaterThan(yield* DateTime.now, DateTime.add(intent.created_at, latestStart))) return
    const events = yield* gateway.charge(intent, card).pipe(
      Effect.timeout(callTimeout),
      Effect.tapError(warn(`The charge of payment ${intent.id} has an unknown outcome; the job looks it up`)),
      Effect.orElseSucceed((): ReadonlyArray<PaymentEvent> => [])
    )
    yield* book(intent, events)
  })

  /** Answers false when the gateway does not answer. */
  const lookUp = Effect.fn("ChargeCard.lookUp")(function* (intent: PaymentIntent, card: CardReference) {
    const found = gateway && (yield* gateway.find(intent, card).pipe(Effect.timeout(callTimeout), Effect.option))
    if (found?._tag !== "Some") {
      yield* Effect.logWarning(`Cannot look up payment ${intent.id} at its gateway`)
      return false
    }
    const events = found.value
    const isOld = DateTime.isGreaterThan(yield* DateTime.now, DateTime.add(intent.created_at, neverMade))
    if (events._tag === "Some") yield* book(intent, events.value)
    else if (intent.status === "pending" && isOld) yield* giveUp(intent)
    return true
  })

  return { charge, lookUp }
})
