import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { QuotedPricesRepo } from "./QuotedPricesRepo.ts"

const batch = 1000

/** Removes quotes that no longer hold. */
export const run = Effect.gen(function* () {
  const repo = yield* QuotedPricesRepo
  const now = yield* DateTime.now
  for (const table of ["quoted_price", "quoted_change"] as const)
    yield* Effect.repeat(repo.removeExpired(table, now, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("QuoteCleanup", Schedule.spaced("10 minutes"), run).pipe(
  Layer.provide(QuotedPricesRepo.layer)
)
