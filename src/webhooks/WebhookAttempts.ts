import { Context, DateTime, Effect, Exit, FiberSet, Layer } from "effect"
import * as Failure from "../platform/Failure.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import { WebhookResults } from "./WebhookResults.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** How long a stop waits for the attempts under way. */
const drain = "3 seconds"

/** The attempts under way. */
export class WebhookAttempts extends Context.Service<
  WebhookAttempts,
  {
    /** `onEnd` is told whether it was delivered, or nothing when that is not known. */
    readonly begin: (
      delivery: DueDelivery,
      leaseEnds: DateTime.Utc,
      onEnd: (delivered: boolean | undefined) => void
    ) => Effect.Effect<void>
    /** Waits until all whose attempts have ended are settled. */
    readonly settled: Effect.Effect<void>
  }
>()("app/webhooks/WebhookAttempts") {
  static readonly layerNoDeps = Layer.effect(
    WebhookAttempts,
    Effect.gen(function* () {
      const results = yield* WebhookResults
      const sender = yield* WebhookSender
      const underWay = yield* FiberSet.make()

      const attempt = Effect.fnUntraced(
        function* (delivery: DueDelivery, lease_ends: DateTime.Utc) {
          const { attempt, endpoint_id, id } = delivery
          const result = yield* sender.attempt(delivery)
          const delivered = result.error === null
          if (!delivered) yield* Effect.logDebug(`Attempt ${attempt} of webhook delivery ${id}: ${result.error}`)
          yield* results.add({ id, endpoint_id, attempt, result, ended_at: yield* DateTime.now, lease_ends })
          return delivered
        },
        Effect.tapCause((cause) => Effect.logError(...Failure.told("A webhook attempt failed", cause)))
      )

      const begin = (delivery: DueDelivery, leaseEnds: DateTime.Utc, onEnd: (delivered?: boolean) => void) =>
        attempt(delivery, leaseEnds).pipe(
          Effect.onExit((exit) => Effect.sync(() => onEnd(Exit.isSuccess(exit) ? exit.value : undefined))),
          FiberSet.run(underWay),
          Effect.asVoid
        )

      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(underWay)), drain))

      return WebhookAttempts.of({ begin, settled: results.settled })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([WebhookResults.layer, WebhookSender.layer]))
}
