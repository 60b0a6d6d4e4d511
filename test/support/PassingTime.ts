import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Lets the time of a test pass until the effect has ended: a request that waits for another one waits by the clock. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const passing = Effect.andThen(
    TestClock.adjust("100 millis"),
    Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
  )
  return Effect.raceFirst(effect, Effect.forever(passing))
}
