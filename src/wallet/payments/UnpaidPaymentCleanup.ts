import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"

const batch = 1000
/** Money for an address of a payment gateway may come months later, and is credited until then. */
const kept = { days: 365 }

/**
 * Removes the payments that nobody made after a year, once no order has them. Money that still comes then matches nothing:
 * its callback is kept, and the log has an error.
 */
export const run = Effect.gen(function* () {
  const repo = yield* PaymentsRepo
  const before = DateTime.subtract(yield* DateTime.now, kept)
  yield* Effect.repeat(repo.removeNeverPaid(before, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("UnpaidPaymentCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(PaymentsRepo.layer)
)
