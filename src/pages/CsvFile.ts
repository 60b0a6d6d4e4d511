import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { HttpServerResponse } from "effect/http"

/** A column of a CSV file: its head, and the cell of an item. */
export type CsvColumn<A> = readonly [head: string, cell: (item: A) => string]

/** A CSV file (RFC 4180) that a browser saves. It is written while its items are read. */
export const csvFile = <A>(
  name: string,
  columns: ReadonlyArray<CsvColumn<A>>,
  items: Stream.Stream<A>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    items.pipe(
      Stream.map((item) => Object.fromEntries(columns.map(([head, cell]) => [head, cell(item)]))),
      Stream.pipeThroughChannel(Csv.encode({ columns: columns.map(([head]) => head), headers: true }))
    ),
    {
      contentType: "text/csv; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-disposition": `attachment; filename="${name}"`,
        "x-content-type-options": "nosniff"
      }
    }
  )
