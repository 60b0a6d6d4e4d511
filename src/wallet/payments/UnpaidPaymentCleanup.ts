import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { NewAccountLimitsRepo } from "./NewAccountLimitsRepo.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const batch = 1000
/** Money may arrive at a crypto address months later; it is credited until the payment is removed. */
const retention = { days: 365 }
/** Only tries of the last hour count. */
const originRetention = { days: 1 }

/**
 * Removes unpaid payments after a year, unless an order refers to them. Money that arrives later matches no payment; the
 * service stores its callback and logs an error. Removes the networks of card payments after a day.
 */
export const run = Effect.gen(function* () {
  const repo = yield* PaymentsRepo
  const origins = yield* NewAccountLimitsRepo
  const now = yield* DateTime.now
  const before = DateTime.subtract(now, retention)
  const forget = origins.forget(DateTime.subtract(now, originRetention), batch)
  yield* Effect.repeat(forget, { while: (removed) => removed === batch })
  yield* Effect.repeat(repo.removeNeverPaid(before, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("UnpaidPaymentCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide([NewAccountLimitsRepo.layer, PaymentsRepo.layer])
)
