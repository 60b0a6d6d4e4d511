import { Cause, DateTime, Effect, Layer, Schedule } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import * as Job from "../../platform/Job.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { type RemovedCard, SavedCardsRepo } from "./SavedCardsRepo.ts"

const batch = 50
const concurrency = 4
/** The pause before a card is tried again that its gateway has not removed: longer than a batch of calls that time out. */
const again = { minutes: 10 }
const callTimeout = "20 seconds"

/** Removes cards at their gateway that their owners removed here. A card that the gateway keeps is tried again. */
export const run = Effect.gen(function* () {
  const gateway = (yield* PaymentGateways).get("card_gateway")?.cards
  const repo = yield* SavedCardsRepo
  if (gateway === undefined) return

  const remove = (card: RemovedCard) =>
    gateway.remove(card).pipe(
      Effect.timeout(callTimeout),
      Effect.andThen(repo.forget(card.id)),
      Effect.catch((error) =>
        Effect.logWarning(
          ...Failure.logLine(`Cannot remove card ${card.id} at its gateway yet; the job tries again`, Cause.fail(error))
        )
      )
    )

  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const cards = yield* repo.claimRemoved(now, DateTime.add(now, again), batch)
    yield* Effect.forEach(cards, remove, { concurrency, discard: true })
    claimed = cards.length
  }
})

export const layer = Job.layer("CardRemoval", Schedule.spaced("5 seconds"), run).pipe(
  Layer.provide(SavedCardsRepo.layer)
)
