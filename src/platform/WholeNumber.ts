import { Schema, SchemaTransformation } from "effect"

/** A query parameter that is a whole number in plain digits: `0x10` and `1e1` are none. `fallback` is only documented. */
export const wholeNumber = (minimum: number, maximum: number, fallback?: number) =>
  Schema.String.check(
    Schema.isPattern(/^-?\d{1,15}$/, {
      expected: "a whole number",
      // Bounds of a text: the OpenAPI document makes it the integer that it is (`OpenApiDocument`).
      toJsonSchema: () => ({ minimum, maximum, ...(fallback === undefined ? {} : { default: fallback }) })
    })
  ).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum })), SchemaTransformation.numberFromString)
  )
