import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Does something in a transaction that is committed when it is let go on. */
export const held = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [done, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = Effect.all([effect, Deferred.succeed(done, undefined), Deferred.await(release)])
  const running = yield* Effect.forkChild(sql.withTransaction(steps))
  yield* Deferred.await(done)
  return { running, open: Deferred.succeed(release, undefined) }
})

/** Comes when so many connections to the database wait for another. */
export const waiting = (connections: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
      until: (rows) => rows.length >= connections
    })
  )
