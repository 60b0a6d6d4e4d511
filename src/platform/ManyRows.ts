import { Effect, Schema } from "effect"
import { inParts } from "./InParts.ts"

/** Reads a query's rows like `Rows.all`, for queries of thousands of rows: the process answers others meanwhile. */
export const manyRows = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E, R>(
    query: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<S["Type"]>, never, R> =>
    Effect.orDie(Effect.flatMap(query, (rows) => inParts(rows, decode)))
}
