import { Cause, Context, DateTime, Duration, Effect, Latch, Layer, Queue } from "effect"
import * as Database from "../platform/Database.ts"
import * as Failure from "../platform/Failure.ts"
import { type EndedAttempt, WebhookSettlement } from "./WebhookSettlement.ts"

/** An attempt whose delivery is this instance's until `lease_ends`. */
export interface LeasedAttempt extends EndedAttempt {
  readonly lease_ends: DateTime.Utc
}

const batch = 256
const capacity = 1024
/** How long a stop waits for what is not settled yet. */
const drain = "3 seconds"

const waitAfter = (failures: number) =>
  Duration.min(Duration.millis(100 * 2 ** Math.min(failures, 10)), Duration.seconds(2))

const isUnavailable = (cause: Cause.Cause<never>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && Database.isUnavailable(reason.defect))

/**
 * Attempts that have ended, on their way into the database, many at a time. While that is out of reach they wait; those
 * that wait beyond their lease are forgotten, for their deliveries are attempted again.
 */
export class WebhookResults extends Context.Service<
  WebhookResults,
  {
    /** Waits while too many are not settled. */
    readonly add: (attempt: LeasedAttempt) => Effect.Effect<void>
    /** Waits until all are settled. */
    readonly settled: Effect.Effect<void>
  }
>()("app/webhooks/WebhookResults") {
  static readonly layerNoDeps = Layer.effect(
    WebhookResults,
    Effect.gen(function* () {
      const settlement = yield* WebhookSettlement
      const queue = yield* Queue.bounded<LeasedAttempt>(capacity)
      const nothingLeft = Latch.makeUnsafe(true)
      let waiting = 0
      const count = (change: number) => {
        waiting += change
        if (waiting === 0) nothingLeft.openUnsafe()
        else nothingLeft.closeUnsafe()
      }

      const add = (attempt: LeasedAttempt) =>
        Effect.suspend(() => {
          count(1)
          return Effect.onInterrupt(Queue.offer(queue, attempt), () => Effect.sync(() => count(-1)))
        })

      const leased = Effect.fnUntraced(function* (attempts: ReadonlyArray<LeasedAttempt>) {
        const now = yield* DateTime.now
        const held = attempts.filter(({ lease_ends }) => DateTime.isLessThan(now, lease_ends))
        const lost = attempts.length - held.length
        if (lost > 0) yield* Effect.logWarning(`The outcomes of ${lost} webhook attempts are lost; they are made again`)
        return held
      })

      const settle = (attempts: ReadonlyArray<LeasedAttempt>, failures = 0): Effect.Effect<void> =>
        Effect.flatMap(leased(attempts), (held) =>
          held.length === 0
            ? Effect.void
            : Effect.catchCause(settlement.settle(held), (cause) => recover(cause, held, failures))
        )

      /** What cannot be settled must not keep back the others. */
      const recover = (cause: Cause.Cause<never>, held: ReadonlyArray<LeasedAttempt>, failures: number) => {
        if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
        const told = Failure.told("Webhook attempts could not be settled", cause)
        if (isUnavailable(cause))
          return Effect.logWarning(...told).pipe(
            Effect.andThen(Effect.sleep(waitAfter(failures))),
            Effect.andThen(settle(held, failures + 1))
          )
        return held.length === 1
          ? Effect.logError(...told)
          : Effect.forEach(held, (attempt) => settle([attempt]), { discard: true })
      }

      yield* Queue.takeBetween(queue, 1, batch).pipe(
        Effect.flatMap((attempts) =>
          Effect.andThen(
            settle(attempts),
            Effect.sync(() => count(-attempts.length))
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(nothingLeft.await), drain))

      return WebhookResults.of({ add, settled: nothingLeft.await })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(WebhookSettlement.layer))
}
