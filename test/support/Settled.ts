import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout } from "node:timers/promises"

/** Waits in real time until no connection asks the database; virtual time stands still meanwhile. */
export const settled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let still = 0
  while (still < 3) {
    yield* Effect.promise(() => setTimeout(15))
    const [{ asking = 1 } = {}] = yield* sql<{ asking: number }>`
      SELECT count(*)::int AS asking FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
    `
    still = asking === 0 ? still + 1 : 0
  }
})
