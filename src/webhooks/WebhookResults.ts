import { Cause, Context, Deferred, Duration, Effect, Latch, Layer, Queue } from "effect"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import * as Failure from "../platform/errors/Failure.ts"
import { type EndedAttempt, WebhookSettlement } from "./WebhookSettlement.ts"

interface UnsettledAttempt extends EndedAttempt {
  readonly settled: Deferred.Deferred<void>
}
type Unsettled = ReadonlyArray<UnsettledAttempt>

const batch = 256
/** The pause before attempts of locked endpoints are settled again, when no other attempts arrive. */
const pause = "50 millis"
/** A stop waits this long for unsettled attempts. */
const drain = "1 second"

const waitAfter = (failures: number) =>
  Duration.min(Duration.millis(100 * 2 ** Math.min(failures, 10)), Duration.seconds(2))

const isUnavailable = (cause: Cause.Cause<never>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && DatabaseFailure.isUnavailable(reason.defect))

/** Settles ended attempts in batches. They wait while the database does not answer. */
export class WebhookResults extends Context.Service<
  WebhookResults,
  {
    /**
     * Waits until the attempt is on record. So the limit of attempts under way also limits the unsettled ones, and a
     * locked endpoint delays only its own attempts.
     */
    readonly settle: (attempt: EndedAttempt) => Effect.Effect<void>
  }
>()("app/webhooks/WebhookResults") {
  static readonly layerNoDeps = Layer.effect(
    WebhookResults,
    Effect.gen(function* () {
      const settlement = yield* WebhookSettlement
      const queue = yield* Queue.unbounded<UnsettledAttempt>()
      const nothingLeft = Latch.makeUnsafe(true)
      let unsettled = 0
      let left: Unsettled = []

      const settle = (attempt: EndedAttempt) =>
        Effect.suspend(() => {
          const settled = Deferred.makeUnsafe<void>()
          unsettled++
          nothingLeft.closeUnsafe()
          Queue.offerUnsafe(queue, { ...attempt, settled })
          return Deferred.await(settled)
        })

      /** Settles attempts one by one when a batch fails, so that a bad one delays no other. Returns the ones left for later. */
      const record = (attempts: Unsettled, failures = 0): Effect.Effect<Unsettled> =>
        Effect.catchCause(settlement.settle(attempts), (cause) => {
          if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          const line = Failure.logLine("Cannot settle webhook attempts", cause)
          if (isUnavailable(cause))
            return Effect.logWarning(...line).pipe(
              Effect.andThen(Effect.sleep(waitAfter(failures))),
              Effect.andThen(record(attempts, failures + 1))
            )
          return attempts.length === 1
            ? Effect.as(Effect.logError(...line), [])
            : Effect.map(
                Effect.forEach(attempts, (attempt) => record([attempt])),
                (later) => later.flat()
              )
        })

      const next = Effect.suspend(() => {
        const more: Effect.Effect<Unsettled> = Queue.takeBetween(queue, 1, batch)
        return left.length === 0
          ? more
          : Effect.timeoutOrElse(more, { duration: pause, orElse: () => Effect.succeed([]) })
      })

      yield* Effect.gen(function* () {
        const attempts = [...left, ...(yield* next)]
        left = yield* record(attempts)
        const later = new Set(left)
        unsettled -= attempts.length - later.size
        for (const attempt of attempts) if (!later.has(attempt)) Deferred.doneUnsafe(attempt.settled, Effect.void)
        if (unsettled === 0) nothingLeft.openUnsafe()
      }).pipe(Effect.forever, Effect.forkScoped)
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(nothingLeft.await), drain))

      return WebhookResults.of({ settle })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(WebhookSettlement.layer))
}
