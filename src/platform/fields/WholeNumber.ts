import { Schema, SchemaTransformation } from "effect"

interface Documentation {
  readonly default?: number
  readonly description?: string
  readonly examples?: ReadonlyArray<number>
}

/** A query parameter that is a whole number in plain digits: `0x10` and `1e1` are none. Its default is only documented. */
export const wholeNumber = (minimum: number, maximum: number, documentation: Documentation = {}) =>
  Schema.String.check(
    Schema.isPattern(/^-?\d{1,15}$/, {
      expected: "a whole number",
      // Bounds of a text: the OpenAPI document makes it the integer that it is (`OpenApiDocument`).
      toJsonSchema: () => ({ minimum, maximum, ...documentation })
    })
  ).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum })), SchemaTransformation.numberFromString)
  )
