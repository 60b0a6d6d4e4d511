import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { EmailOutboxRepo } from "./EmailOutboxRepo.ts"

const retention = { days: 30 }
/** Longer than the mails of an announcement to everybody take. */
const logRetention = { days: 180 }
const batch = 10_000

/** Removes notices that could not be sent, and old entries of the log. Until then the notices wait for the staff. */
export const run = Effect.gen(function* () {
  const outbox = yield* EmailOutboxRepo
  const now = yield* DateTime.now
  yield* outbox.removeGivenUp(DateTime.subtract(now, retention))
  const forget = outbox.forget(DateTime.subtract(now, logRetention), batch)
  yield* Effect.repeat(forget, { while: (forgotten) => forgotten === batch })
})

export const layer = Job.layer("EmailCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(EmailOutboxRepo.layer)
)
