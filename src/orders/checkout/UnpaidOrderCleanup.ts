import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"

const batch = 1000
const kept = { days: 30 }

/** Removes cancelled unpaid orders after 30 days. Their payments stay longer, so that late money is still credited. */
export const run = Effect.gen(function* () {
  const repo = yield* OrderPaymentsRepo
  const before = DateTime.subtract(yield* DateTime.now, kept)
  yield* Effect.repeat(repo.removeNeverPaid(before, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("UnpaidOrderCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(OrderPaymentsRepo.layer)
)
