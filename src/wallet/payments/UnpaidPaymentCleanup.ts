import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const batch = 1000
/** Money may arrive at a crypto address months later; it is credited until the payment is removed. */
const retention = { days: 365 }

/**
 * Removes unpaid payments after a year, unless an order refers to them. Money that arrives later matches no payment; the
 * service stores its callback and logs an error.
 */
export const run = Effect.gen(function* () {
  const repo = yield* PaymentsRepo
  const before = DateTime.subtract(yield* DateTime.now, retention)
  yield* Effect.repeat(repo.removeNeverPaid(before, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("UnpaidPaymentCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(PaymentsRepo.layer)
)
