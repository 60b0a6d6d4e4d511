import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"

const batch = 200

/** Ends requests for refunds that nobody decided in time. Nothing was booked for them. */
export const run = Effect.gen(function* () {
  const repo = yield* OrderRefundsRepo
  yield* repo.expire(yield* DateTime.now, batch)
})

export const layer = Job.layer("RefundExpiry", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(OrderRefundsRepo.layer)
)
