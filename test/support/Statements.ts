import { Effect } from "effect"
import { Statement } from "effect/sql"

/** Runs an effect, and returns its statements: for each one the tables that it writes to. */
export const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const statements: Array<string> = []
  const transform: Statement.Transformer = (statement) =>
    Effect.sync(() => {
      const [text] = statement.compile()
      const writes = text.matchAll(/\b(?:INSERT INTO|(?<!NO KEY |DO )UPDATE|DELETE FROM) "?(\w+)/g)
      statements.push([...writes].map(([, table]) => table).join(", "))
      return statement
    })
  yield* Effect.provideService(effect, Statement.CurrentTransformer, transform)
  return statements
})
