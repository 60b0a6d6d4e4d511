import { Clock, Duration, Effect, Exit } from "effect"
import * as DatabaseFailure from "./DatabaseFailure.ts"

/** Time that a start waits for the database, which may start at the same time or on a busy machine. */
export const patience = Duration.seconds(60)

const pause = Duration.millis(250)

const giveUp = (named: string, reason: string) =>
  new DatabaseFailure.DatabaseUnusable({
    reason: `${named}: no server answered within ${Duration.toSeconds(patience)} seconds (${reason}); start again when the server runs`
  })

/**
 * Repeats a start from its beginning while the database does not answer, because any of its connections may fail. Gives
 * up with one line after 60 seconds. Any other error ends the start immediately.
 */
export const patiently = Effect.fnUntraced(function* <A, E, R>(start: Effect.Effect<A, E, R>, named: string) {
  const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
  for (let tries = 1; ; tries++) {
    const exit = yield* Effect.exit(start)
    const unavailable = Exit.isFailure(exit) ? DatabaseFailure.unavailableIn(exit.cause) : undefined
    if (unavailable === undefined) return yield* exit
    const reason = DatabaseFailure.reasonOf(unavailable)
    if ((yield* Clock.currentTimeMillis) >= end) return yield* giveUp(named, reason)
    if (tries === 1) yield* Effect.logWarning(`${named} does not answer yet (${reason}); trying again for a minute`)
    yield* Effect.sleep(pause)
  }
})
