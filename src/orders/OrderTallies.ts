import { Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { OrderListsRepo } from "./OrderListsRepo.ts"

const batch = 5000

/** Adds all recorded changes to the tallies of orders, so that counting orders stays fast. */
export const run = Effect.gen(function* () {
  const lists = yield* OrderListsRepo
  for (let taken = batch; taken === batch;) {
    const done = yield* lists.compact(batch)
    taken = done.taken
    if (done.recounted.length > 0)
      yield* Effect.logWarning("Order tallies were wrong; the job counted them again", done.recounted)
  }
})

export const layer = Job.layer("OrderTallies", Schedule.spaced("2 seconds"), run).pipe(
  Layer.provide(OrderListsRepo.layer)
)
