import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import type { GatewayRefund } from "./GatewayRefund.ts"
import { GatewayRefunds } from "./GatewayRefunds.ts"
import { GatewayRefundsRepo } from "./GatewayRefundsRepo.ts"

const batch = 100
const concurrency = 8
/** The time until a refund is looked up again: longer than a batch of calls that all time out. */
const again = { minutes: 5 }

/** Sends refunds that a dead process has booked, and looks up those whose outcome is not known. */
export const run = Effect.gen(function* () {
  const refunds = yield* GatewayRefunds
  const repo = yield* GatewayRefundsRepo

  const review = (refund: GatewayRefund) =>
    Effect.catchCause(refunds.review(refund), (cause) =>
      Effect.logError(`Cannot settle the refund ${refund.id}`, cause)
    )

  let claimed = batch
  while (claimed === batch) {
    const now = yield* DateTime.now
    const due = yield* repo.claimDue(now, DateTime.add(now, again), batch)
    yield* Effect.forEach(due, review, { concurrency, discard: true })
    claimed = due.length
  }
})

export const layer = Job.layer("GatewayRefundRounds", Schedule.spaced("15 seconds"), run).pipe(
  Layer.provide([GatewayRefunds.layer, GatewayRefundsRepo.layer])
)
