import { DateTime, Effect, Layer, Option, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { SavedCards } from "../auto-top-up/SavedCards.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import { CardPaymentsRepo } from "./CardPaymentsRepo.ts"
import * as ChargeCard from "./ChargeCard.ts"
import { PaymentSettlement } from "./PaymentSettlement.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const batch = 100
const concurrency = 8
/** The time until a charge is looked up again: longer than a batch of calls that all time out. */
const again = { pending: { minutes: 3 }, ended: { hours: 1 } }

/**
 * Looks up charges of saved cards whose outcome is unknown, because an answer or a call of the gateway was lost or a process
 * died, until the gateway tells it.
 */
export const run = Effect.gen(function* () {
  const cards = yield* SavedCards
  const repo = yield* CardPaymentsRepo
  const { lookUp } = yield* ChargeCard.make

  const review = (intent: PaymentIntent) =>
    Effect.gen(function* () {
      const card = intent.card_id === null ? Option.none() : yield* cards.find(intent.card_id)
      if (Option.isSome(card)) yield* lookUp(intent, card.value)
      else yield* Effect.logError(`Payment ${intent.id} cannot be looked up, because its card is gone`)
    }).pipe(Effect.catchCause((cause) => Effect.logError(`Cannot settle payment ${intent.id}`, cause)))

  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const next = { pending: DateTime.add(now, again.pending), ended: DateTime.add(now, again.ended) }
    const due = yield* repo.claimDue(now, next, batch)
    yield* Effect.forEach(due, review, { concurrency, discard: true })
    claimed = due.length
  }
})

export const layer = Job.layer("CardPaymentLookUps", Schedule.spaced("15 seconds"), run).pipe(
  Layer.provide([CardPaymentsRepo.layer, PaymentSettlement.layer, PaymentsRepo.layer, SavedCards.layer])
)
