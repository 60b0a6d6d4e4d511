import { Effect, Schema } from "effect"

/**
 * A field that may be missing or have another shape, and is absent then. Vendors change fields without notice, and fill
 * fields that a plan does not include with text.
 */
export const Maybe = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(schema.pipe(Schema.catchDecoding(() => Effect.succeedNone)))

export const Flag = Maybe(Schema.Boolean)

/** The required score of an answer, as a number or a decimal string. */
export const Score = Schema.Union([
  Schema.Finite,
  // An empty text is not 0.
  Schema.String.check(Schema.isPattern(/^\d{1,3}(\.\d+)?$/)).pipe(Schema.decodeTo(Schema.FiniteFromString))
]).check(Schema.isBetween({ minimum: 0, maximum: 100 }))
