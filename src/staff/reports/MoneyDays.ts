import { Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { MoneyDaysRepo } from "./MoneyDaysRepo.ts"

const batch = 5000

/** Adds all noted records to the daily sums, so that reports stay fast. */
export const run = Effect.gen(function* () {
  const days = yield* MoneyDaysRepo
  for (let taken = batch; taken === batch;) taken = yield* days.compact(batch)
})

export const layer = Job.layer("MoneyDays", Schedule.spaced("5 seconds"), run).pipe(Layer.provide(MoneyDaysRepo.layer))
