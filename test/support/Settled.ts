import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"

/** Waits in real time until no connection asks or opens the database; virtual time stands still meanwhile. */
export const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let still = 0
  while (still < 5) {
    yield* Effect.promise(() => setTimeout(15))
    const [{ asking = 1 } = {}] = yield* sql<{ asking: number }>`
      SELECT count(*)::int AS asking FROM pg_stat_activity
      WHERE pid <> pg_backend_pid()
        AND (state = 'starting' OR (datname = current_database() AND state <> 'idle'))
    `
    still = asking === 0 ? still + 1 : 0
  }
})

/** Runs an effect while virtual time passes, a second whenever the database is still. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(settled, TestClock.adjust("1 second"))))
