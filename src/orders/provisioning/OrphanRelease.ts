import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { type AbandonedAttempt, ProvisioningRepo } from "./ProvisioningRepo.ts"
import * as ReleaseOrphan from "./ReleaseOrphan.ts"

const batch = 50
const again = { minutes: 10 }
/** Age from which an abandoned attempt is no longer looked up. */
const memory = { days: 7 }

/** Releases proxies that turn up for orders that were refunded while the outcome was unknown. */
export const run = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const releaseOrphan = yield* ReleaseOrphan.make

  const look = (attempt: AbandonedAttempt) =>
    Effect.catchCause(releaseOrphan(attempt), (cause) =>
      Effect.logWarning(`Cannot look up order ${attempt.order_id}; the job tries again`, cause)
    )

  const now = yield* DateTime.now
  yield* repo.forgetAbandoned(DateTime.subtract(now, memory))
  const attempts = yield* repo.claimAbandoned(now, DateTime.add(now, again), batch)
  yield* Effect.forEach(attempts, look, { concurrency: 8, discard: true })
})

export const layer = Job.layer("OrphanRelease", Schedule.spaced("1 minute"), run).pipe(
  Layer.provide(ProvisioningRepo.layer)
)
