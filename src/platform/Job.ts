import { Effect, Layer, type Schedule, Semaphore } from "effect"

/** How long a stop waits for the round that is running. */
const drain = "3 seconds"
/** A round that hangs is given up, so that the next one comes. */
const roundTimeout = "10 minutes"

/**
 * A background fiber that runs `effect` at each tick of `schedule` for as long as
 * the layer lives. A failed run is logged and the next tick comes as usual; a stop
 * lets the running round end.
 */
export const layer = <E, R>(
  name: string,
  schedule: Schedule.Schedule<unknown>,
  effect: Effect.Effect<unknown, E, R>
): Layer.Layer<never, never, R> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const turn = yield* Semaphore.make(1)
      yield* effect.pipe(
        Effect.timeout(roundTimeout),
        Effect.catchCause((cause) => Effect.logError(`Job ${name} failed`, cause)),
        Effect.withSpan(`Job.${name}`),
        turn.withPermits(1),
        Effect.schedule(schedule),
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(turn.take(1)), drain))
    })
  )
