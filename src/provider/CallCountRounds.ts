import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { CallCounts } from "./CallCounts.ts"
import { CallCountsRepo } from "./CallCountsRepo.ts"

const keptFor = { hours: 2 }

/** Adds the calls that this process counted to those of the present minute, and forgets old ones. */
export const run = Effect.gen(function* () {
  const counts = yield* CallCounts
  const repo = yield* CallCountsRepo
  const taken = counts.take()
  if (taken.length === 0) return
  const now = yield* DateTime.now
  const stored = repo.add(taken, DateTime.startOf(now, "minute"))
  yield* Effect.onError(stored, () => Effect.sync(() => counts.putBack(taken)))
  yield* repo.forget(DateTime.subtract(now, keptFor))
})

export const layer = Job.layer("CallCountRounds", Schedule.spaced("10 seconds"), run).pipe(
  Layer.provide([CallCounts.layer, CallCountsRepo.layer])
)
