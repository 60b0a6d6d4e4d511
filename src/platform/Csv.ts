import { DateTime, type Effect, Stream } from "effect"
import { Csv } from "effect/encoding"

/** Null is an empty cell. Lists and objects are JSON. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (DateTime.isDateTime(value)) return DateTime.formatIso(value)
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** A table with a header row (RFC 4180). */
export const csv = <const Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<{ readonly [C in Column]?: unknown }>
): Effect.Effect<string> =>
  Stream.fromIterable(rows).pipe(
    Stream.map((row) => Object.fromEntries(columns.map((column) => [column, cell(row[column])]))),
    Stream.pipeThroughChannel(Csv.encodeString({ columns, headers: true })),
    Stream.mkString
  )
