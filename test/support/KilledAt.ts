import { Effect } from "effect"
import { Statement } from "effect/sql"

/** Runs an action that dies before its statement of this number; true when it came so far. */
export const killedAt = Effect.fnUntraced(function* <A, E, R>(action: Effect.Effect<A, E, R>, last: number) {
  let count = 0
  const transform: Statement.Transformer = (statement) =>
    Effect.suspend(() => (++count >= last ? Effect.die(new Error("killed")) : Effect.succeed(statement)))
  yield* Effect.exit(Effect.provideService(action, Statement.CurrentTransformer, transform))
  return count >= last
})
