import { Schema, SchemaTransformation } from "effect"

interface Documentation {
  readonly default?: number
  readonly description?: string
  readonly examples?: ReadonlyArray<number>
}

/**
 * A query parameter that is a whole number in plain digits, so not `0x10` or `1e1`. The document shows `default`; the
 * schema does not apply it.
 */
export const wholeNumber = (minimum: number, maximum: number, documentation: Documentation = {}) =>
  Schema.String.check(
    Schema.isPattern(/^-?\d{1,15}$/, {
      expected: "a whole number",
      // Bounds on a text; `OpenApiDocument` turns them into the bounds of an integer.
      toJsonSchema: () => ({ minimum, maximum, ...documentation })
    })
  ).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum })), SchemaTransformation.numberFromString)
  )
