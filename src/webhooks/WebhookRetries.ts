import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import { WebhookDispatcher } from "./WebhookDispatcher.ts"

const batch = 1000

/**
 * Has every delivery that is due sent: the retries, those whose attempt was lost with its process, and those of which
 * word was lost (specification section 6.4).
 */
export const run = Effect.gen(function* () {
  const repo = yield* WebhookDeliveriesRepo
  const dispatcher = yield* WebhookDispatcher
  // First, for what fails below must not keep back what is due.
  yield* dispatcher.wakeDue
  const now = yield* DateTime.now
  for (const end of [repo.cancelUnwanted(now, batch), repo.abandonLost(now, batch)])
    yield* Effect.repeat(end, { while: (ended) => ended === batch })
})

export const layerNoDeps = Job.layer("WebhookRetries", Schedule.spaced("1 minute"), run)

export const layer = layerNoDeps.pipe(Layer.provide([WebhookDeliveriesRepo.layer, WebhookDispatcher.layer]))
