import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { WebhookCleanupRepo } from "./WebhookCleanupRepo.ts"

const batch = 1000
const kept = { days: 30 }

/**
 * Removes events and their deliveries after 30 days, endpoints of deleted accounts, and old secrets after their overlap.
 */
export const run = Effect.gen(function* () {
  const repo = yield* WebhookCleanupRepo
  const now = yield* DateTime.now
  const before = DateTime.subtract(now, kept)
  const removeBatch = Effect.all([
    repo.removeEndpoints(batch),
    repo.removeSecrets(now, batch),
    repo.removeDeliveries(before, batch),
    repo.removeEvents(before, batch)
  ])
  yield* Effect.repeat(removeBatch, { while: (removed) => removed.includes(batch) })
})

export const layer = Job.layer("WebhookCleanup", Schedule.spaced("1 hour"), run).pipe(
  Layer.provide(WebhookCleanupRepo.layer)
)
