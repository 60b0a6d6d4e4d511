import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { ProxyHealthRepo } from "./ProxyHealthRepo.ts"

const batch = 10_000
/** The days of the chart of a proxy. */
const retention = { days: 31 }

/** Removes the hours of tries after 31 days, and the state of proxies that have ended. */
export const run = Effect.gen(function* () {
  const repo = yield* ProxyHealthRepo
  const before = DateTime.subtract(yield* DateTime.now, retention)
  for (const remove of [repo.removeHours(before, batch), repo.removeEnded(batch)])
    yield* Effect.repeat(remove, { while: (removed) => removed === batch })
})

export const layer = Job.layer("ProbeCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(ProxyHealthRepo.layer)
)
