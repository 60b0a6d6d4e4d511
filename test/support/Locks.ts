import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Runs an effect in a transaction that commits when the test opens it. */
export const held = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [done, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = Effect.all([effect, Deferred.succeed(done, undefined), Deferred.await(release)])
  const running = yield* Effect.forkChild(sql.withTransaction(steps))
  yield* Deferred.await(done)
  return { running, open: Deferred.succeed(release, undefined) }
})

/** Waits until this number of database connections wait for a lock. */
export const waiting = (connections: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
      until: (rows) => rows.length >= connections
    })
  )
