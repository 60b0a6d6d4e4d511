import { Clock, Duration, Effect, Exit } from "effect"
import * as DatabaseFailure from "./DatabaseFailure.ts"

/** A database that starts together with the service, or on a busy machine, may need this long. */
export const patience = Duration.seconds(60)

const pause = Duration.millis(250)

const giveUp = (named: string, reason: string) =>
  new DatabaseFailure.DatabaseUnusable({
    reason: `${named}: no server answered within ${Duration.toSeconds(patience)} seconds (${reason}); start again when it runs`
  })

/**
 * Runs a start again, from its beginning, while the database does not answer: each of its connections may be the one that
 * fails. After 60 seconds it ends with one line. Every other fault ends it at once.
 */
export const patiently = Effect.fnUntraced(function* <A, E, R>(start: Effect.Effect<A, E, R>, named: string) {
  const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
  for (let tries = 1; ; tries++) {
    const exit = yield* Effect.exit(start)
    const fault = Exit.isFailure(exit) ? DatabaseFailure.unavailableIn(exit.cause) : undefined
    if (fault === undefined) return yield* exit
    const reason = DatabaseFailure.reasonOf(fault)
    if ((yield* Clock.currentTimeMillis) >= end) return yield* giveUp(named, reason)
    if (tries === 1) yield* Effect.logWarning(`${named} does not answer yet (${reason}); trying again for a minute`)
    yield* Effect.sleep(pause)
  }
})
