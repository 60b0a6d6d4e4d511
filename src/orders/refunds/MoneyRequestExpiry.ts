import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { AdjustmentsRepo } from "../../wallet/adjustments/AdjustmentsRepo.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"

const batch = 200

/** Ends requests for money that nobody decided in time. Nothing was booked for them. */
export const run = Effect.gen(function* () {
  const adjustments = yield* AdjustmentsRepo
  const refunds = yield* OrderRefundsRepo
  const now = yield* DateTime.now
  yield* adjustments.expire(now, batch)
  yield* refunds.expire(now, batch)
})

export const layer = Job.layer("MoneyRequestExpiry", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide([AdjustmentsRepo.layer, OrderRefundsRepo.layer])
)
