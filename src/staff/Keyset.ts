import { Effect, Schema } from "effect"
import { wholeNumber } from "../platform/fields/WholeNumber.ts"

/** The query parameters of a list of the admin API: `limit`, and the id of the last item of the page before. */
export const query = {
  limit: wholeNumber(1, 100, { default: 50 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("50"))),
  after: Schema.optionalKey(Schema.String.check(Schema.isUUID()).annotate({ description: "`next` of the page before" }))
}

export interface Keyset {
  readonly limit: number
  readonly after?: string
}

/** The answer of a list: `next` goes into `after` of the next page; null on the last page. */
export const view = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    items: Schema.Array(item),
    next: Schema.NullOr(Schema.String).annotate({
      description: "Send it as `after` for the next page; null on the last page",
      examples: [null]
    })
  })

/** Makes the page from rows, of which the query read one more than `limit`. */
export const pageOf = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, limit: number) => {
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
