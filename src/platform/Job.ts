import { Effect, FiberMap, Layer, type Schedule, Semaphore } from "effect"
import * as Failure from "./errors/Failure.ts"

/** Time that a stop waits for running rounds. */
const drain = "3 seconds"
/** Time limit of a round, so that one that hangs does not prevent the next. */
const roundTimeout = "10 minutes"

const drained = (rest: Effect.Effect<unknown>) =>
  Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(rest), drain))

/** Limits the time of a round and logs its failure. */
const contained = <E, R>(name: string, round: Effect.Effect<unknown, E, R>) =>
  round.pipe(
    Effect.timeout(roundTimeout),
    Effect.catchCause((cause) => Effect.logError(...Failure.logLine(`Job ${name} failed`, cause))),
    Effect.withSpan(`Job.${name}`)
  )

/**
 * Runs `effect` in the background at each tick of `schedule` while the layer lives. The job logs a failed round and
 * runs again at the next tick. A stop waits for the running round.
 */
export const layer = <E, R>(
  name: string,
  schedule: Schedule.Schedule<unknown>,
  effect: Effect.Effect<unknown, E, R>
): Layer.Layer<never, never, R> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const turn = yield* Semaphore.make(1)
      yield* contained(name, effect).pipe(turn.withPermits(1), Effect.schedule(schedule), Effect.forkScoped)
      yield* drained(turn.take(1))
    })
  )

/**
 * A job of parts that do not wait for each other. At each tick, every part whose last round has ended begins another. A
 * round that hangs delays only its own part.
 */
export const perName = <Name extends string, E, R, E2, R2>(
  name: string,
  schedule: Schedule.Schedule<unknown>,
  parts: Effect.Effect<ReadonlyArray<Name>, E, R>,
  round: (part: Name) => Effect.Effect<unknown, E2, R2>
): Layer.Layer<never, never, R | R2> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const rounds = yield* FiberMap.make<Name, void, never>()
      // This finalizer runs last, when the ticks are over.
      yield* drained(FiberMap.awaitEmpty(rounds))
      const begin = (part: Name) =>
        FiberMap.run(rounds, part, contained(`${name} of ${part}`, round(part)), { onlyIfMissing: true })
      return layer(
        name,
        schedule,
        Effect.flatMap(parts, (parts) => Effect.forEach(parts, begin, { discard: true }))
      )
    })
  )
