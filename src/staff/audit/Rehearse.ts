import { Effect, Schema } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Rehearsal } from "./Rehearsal.ts"

class Rehearsed extends Schema.TaggedError<Rehearsed>()("Rehearsed", { made: Schema.Unknown }) {}

/** Runs an action in a transaction that is rolled back. The action must call nobody outside the database. */
export const rehearse = Effect.fnUntraced(
  function* <A, E, R>(act: Effect.Effect<A, E, R>) {
    const atomically = yield* Atomically
    const rolledBack = atomically(Effect.flatMap(act, (made) => Effect.fail(new Rehearsed({ made }))))
    return yield* Effect.catchIf(
      rolledBack,
      (error): error is Rehearsed => error instanceof Rehearsed,
      ({ made }) => Effect.succeed(made as A)
    )
  },
  Effect.provideService(Rehearsal, true)
)
