import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { IpCheckSettlementRepo } from "./IpCheckSettlementRepo.ts"

const batch = 1000
const kept = { days: 30 }

/** Removes the raw answers of vendors after 30 days. The checks stay. */
export const run = Effect.gen(function* () {
  const repo = yield* IpCheckSettlementRepo
  const before = DateTime.subtract(yield* DateTime.now, kept)
  yield* Effect.repeat(repo.removeAnswers(before, batch), { while: (removed) => removed === batch })
})

export const layer = Job.layer("IpCheckCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(IpCheckSettlementRepo.layer)
)
