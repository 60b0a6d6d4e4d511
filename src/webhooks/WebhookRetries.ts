import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import { WebhookDispatcher } from "./WebhookDispatcher.ts"

const batch = 1000

/**
 * Sends every due delivery: retries, deliveries whose attempt was lost with its process, and deliveries whose
 * announcement was lost (docs/contract.md, "Webhooks").
 */
export const run = Effect.gen(function* () {
  const repo = yield* WebhookDeliveriesRepo
  const dispatcher = yield* WebhookDispatcher
  // This comes first, because a failure below must not delay due deliveries.
  yield* dispatcher.wakeDue
  const now = yield* DateTime.now
  for (const end of [repo.cancelUnwanted(now, batch), repo.abandonLost(now, batch)])
    yield* Effect.repeat(end, { while: (ended) => ended === batch })
})

export const layerNoDeps = Job.layer("WebhookRetries", Schedule.spaced("1 minute"), run)

export const layer = layerNoDeps.pipe(Layer.provide([WebhookDeliveriesRepo.layer, WebhookDispatcher.layer]))
