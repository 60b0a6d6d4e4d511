import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { PaymentCallbacksRepo } from "./PaymentCallbacksRepo.ts"

const batch = 500
const retention = { days: 1 }

/** Removes callbacks after a day that had no effect: refused ones and irrelevant ones. */
export const run = Effect.gen(function* () {
  const repo = yield* PaymentCallbacksRepo
  const since = DateTime.subtract(yield* DateTime.now, retention)
  for (const remove of [repo.removeRefused, repo.removeIgnored])
    yield* Effect.repeat(remove(since, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("PaymentCallbackCleanup", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(PaymentCallbacksRepo.layer)
)
