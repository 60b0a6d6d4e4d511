import { Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { OrderListsRepo } from "./OrderListsRepo.ts"

const batch = 5000

/** Adds every noted change to the tallies of orders, so that reading them stays quick. */
export const run = Effect.gen(function* () {
  const lists = yield* OrderListsRepo
  let taken = batch
  while (taken === batch) taken = yield* lists.compact(batch)
})

export const layer = Job.layer("OrderTallies", Schedule.spaced("2 seconds"), run).pipe(
  Layer.provide(OrderListsRepo.layer)
)
