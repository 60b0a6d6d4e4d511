import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { AdjustmentsRepo } from "./AdjustmentsRepo.ts"

const batch = 200

/** Ends requests for credits and debits that nobody decided in time. Nothing was booked for them. */
export const run = Effect.gen(function* () {
  const repo = yield* AdjustmentsRepo
  yield* repo.expire(yield* DateTime.now, batch)
})

export const layer = Job.layer("AdjustmentExpiry", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(AdjustmentsRepo.layer)
)
