import { Effect, Option, Schema, SchemaAST, Stream } from "effect"

/** Turns the rows of a query into values. A failed query is a defect. */
type Reader<A> = <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.Effect<ReadonlyArray<A>, never, R>

/** Reads a query's rows with `schema`. A row that does not fit is a defect. */
export const all = <S extends Schema.ConstraintDecoder<unknown>>(schema: S): Reader<S["Type"]> => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return (query) => Effect.orDie(Effect.flatMap(query, decode))
}

/**
 * Takes a query's rows as the driver delivers them, for the routes that clients call most: checking a row costs more than
 * reading it. The driver gives each column the JavaScript type of its PostgreSQL type, and the constraints of the tables
 * guarantee the values, so `schema` only names the columns and their types. A schema that converts a value is refused at the
 * start. Tests read such rows with their schema too.
 */
export const unchecked = <S extends Schema.ConstraintDecoder<unknown>>(schema: S): Reader<S["Type"]> => {
  if (SchemaAST.toType(schema.ast) !== schema.ast) throw new Error("Rows with a value to convert need a check")
  return <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
    Effect.orDie(query as Effect.Effect<ReadonlyArray<S["Type"]>, E, R>)
}

/** Lists the columns of a schema of rows, for a SELECT. */
export const columnsOf = ({ fields }: { readonly fields: object }): string => Object.keys(fields).join(", ")

/** Reads the first row of a query, checked or `unchecked`; none when the query returns no row. */
export const first = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, by: typeof all = all) => {
  const read = by(schema)
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
