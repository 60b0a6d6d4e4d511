import { Effect, Schema, SchemaTransformation } from "effect"

/** A whole number in plain digits: `0x10` and `1e1` are none. */
const integer = (minimum: number, maximum: number, fallback: number) =>
  Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/, { expected: "a whole number" })).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum })), SchemaTransformation.numberFromString),
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
