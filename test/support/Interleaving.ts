import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** True when a connection of this database waits for a lock. */
const isBlocked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    (rows) => rows.length > 0
  )
)

/**
 * Runs `work`, and begins `change` on another connection immediately before one of its statements. The statement follows
 * when the change has ended, or waits for a lock that `work` holds. Answers the outcome of `work` and the number of its
 * statements.
 */
export const changedAt = Effect.fnUntraced(function* <A, E, R, B, F, S>(
  at: number,
  change: Effect.Effect<A, E, R>,
  work: Effect.Effect<B, F, S>
) {
  const context = yield* Effect.context<R | SqlClient.SqlClient>()
  const started = yield* Deferred.make<Fiber.Fiber<A, E>>()
  let made = 0
  const begin = Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(change)
    yield* Deferred.succeed(started, fiber)
    while (fiber.pollUnsafe() === undefined && !(yield* isBlocked))
      yield* Effect.promise(() => new Promise(setImmediate))
  })
  const run = Effect.runPromiseWith(context)
  const transform: Statement.Transformer = (statement) =>
    Effect.suspend(() =>
      ++made === at
        ? Effect.as(
            Effect.promise(() => run(begin)),
            statement
          )
        : Effect.succeed(statement)
    )
  const outcome = yield* Effect.exit(Effect.provideService(work, Statement.CurrentTransformer, transform))
  if (made < at) yield* change
  else yield* Fiber.join(yield* Deferred.await(started))
  return { made, outcome }
})

/** Interleaves before each statement of the work, one after another, also after the last one. */
export const everywhere = Effect.fnUntraced(function* <E, R>(
  interleaved: (at: number) => Effect.Effect<{ readonly made: number }, E, R>
) {
  for (let at = 1; ; at++) {
    const { made } = yield* interleaved(at)
    if (made < at) return made
  }
})
