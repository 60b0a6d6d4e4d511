import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { IdempotencyRepo } from "./IdempotencyRepo.ts"

const batch = 1000

/** Removes idempotency keys after 24 hours. */
export const run = Effect.gen(function* () {
  const repo = yield* IdempotencyRepo
  const now = yield* DateTime.now
  let removed = batch
  while (removed === batch) removed = yield* repo.removeExpired(now, batch)
})

export const layer = Job.layer("IdempotencyCleanup", Schedule.spaced("10 minutes"), run).pipe(
  Layer.provide(IdempotencyRepo.layer)
)
