import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { EmailOutboxRepo } from "./EmailOutboxRepo.ts"

const retention = { days: 30 }

/** Removes notices that could not be sent. Until then they wait for the staff. */
export const run = Effect.gen(function* () {
  const outbox = yield* EmailOutboxRepo
  yield* outbox.removeGivenUp(DateTime.subtract(yield* DateTime.now, retention))
})

export const layer = Job.layer("EmailCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(EmailOutboxRepo.layer)
)
