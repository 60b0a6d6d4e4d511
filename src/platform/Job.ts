import { Effect, FiberMap, Layer, type Schedule, Semaphore } from "effect"
import * as Failure from "./errors/Failure.ts"

/** How long a stop waits for the rounds that are running. */
const drain = "3 seconds"
/** A round that hangs is given up, so that the next one comes. */
const roundTimeout = "10 minutes"

const drained = (rest: Effect.Effect<unknown>) =>
  Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(rest), drain))

/** A round that ends by itself, and whose failure is logged. */
const contained = <E, R>(name: string, round: Effect.Effect<unknown, E, R>) =>
  round.pipe(
    Effect.timeout(roundTimeout),
    Effect.catchCause((cause) => Effect.logError(...Failure.told(`Job ${name} failed`, cause))),
    Effect.withSpan(`Job.${name}`)
  )

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
      yield* contained(name, effect).pipe(turn.withPermits(1), Effect.schedule(schedule), Effect.forkScoped)
      yield* drained(turn.take(1))
    })
  )

/**
 * A job of many parts that do not wait for each other: at each tick a round begins for each of `parts` whose last one
 * is over. One that hangs delays its own part only.
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
      // Of the layer's parts this ends last: the ticks are over by then.
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
