import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { QuotedPricesRepo } from "./QuotedPricesRepo.ts"

const batch = 1000

/** Removes quotes that no longer hold. */
export const run = Effect.gen(function* () {
  const repo = yield* QuotedPricesRepo
  const now = yield* DateTime.now
  yield* Effect.repeat(repo.removeExpired(now, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("QuoteCleanup", Schedule.spaced("10 minutes"), run).pipe(
  Layer.provide(QuotedPricesRepo.layer)
)
