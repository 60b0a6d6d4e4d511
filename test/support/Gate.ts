import { Deferred, Effect } from "effect"

/** A point at which one fiber waits until the test lets it pass. */
export const make = Effect.gen(function* () {
  const reached = yield* Deferred.make<void>()
  const opened = yield* Deferred.make<void>()
  return {
    /** Waits at the gate until it is open. */
    pass: Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(opened)),
    /** Waits until a fiber stands at the gate. */
    reached: Deferred.await(reached),
    open: Deferred.succeed(opened, undefined)
  }
})
