import { Effect, Option, Schema, Stream } from "effect"

/** Reads a query's rows with `schema`. A failed query, or a row that does not fit, is a defect. */
export const all = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E, R>(
    query: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<S["Type"]>, never, R> => Effect.orDie(Effect.flatMap(query, decode))
}

/** Reads the first row of a query; none when the query returns no row. */
export const first = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const read = all(schema)
  return <E, R>(
    query: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<Option.Option<S["Type"]>, never, R> =>
    Effect.map(read(query), (rows) => Option.fromUndefinedOr(rows[0]))
}

/** Reads the row that a statement always returns; a missing row is a defect. */
export const one = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const read = first(schema)
  return <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<S["Type"], never, R> =>
    Effect.map(read(query), Option.getOrThrow)
}

/** Reads a query's rows one after another. */
export const stream = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return <E, R>(query: Stream.Stream<unknown, E, R>): Stream.Stream<S["Type"], never, R> =>
    Stream.orDie(Stream.mapEffect(query, (row) => decode(row)))
}

/** True when a statement returns at least one row; a failed statement is a defect. */
export const any = <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<boolean, never, R> =>
  Effect.orDie(Effect.map(query, (rows) => rows.length > 0))
