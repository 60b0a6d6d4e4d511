import { Effect, Schema } from "effect"
import { wholeNumber } from "./WholeNumber.ts"

const integer = (minimum: number, maximum: number, fallback: number) =>
  wholeNumber(minimum, maximum, { default: fallback }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(String(fallback)))
  )

/** The query parameters of a paged list: `limit` from 1 to `maximum`, `offset` from 0. */
export const query = (maximum: number, fallback: number) => ({
  limit: integer(1, maximum, fallback),
  offset: integer(0, 1_000_000_000, 0)
})

export interface Page {
  readonly limit: number
  readonly offset: number
}
