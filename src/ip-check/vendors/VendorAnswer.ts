import { Effect, Schema } from "effect"

/**
 * A field that an answer may lack, or have in another shape: vendors change fields without notice, and fill those that
 * a plan does not include with text. Absent then.
 */
export const Maybe = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(schema.pipe(Schema.catchDecoding(() => Effect.succeedNone)))

export const Flag = Maybe(Schema.Boolean)

/** A score that an answer cannot do without. */
export const Score = Schema.Union([
  Schema.Finite,
  // An empty text is no 0.
  Schema.String.check(Schema.isPattern(/^\d{1,3}(\.\d+)?$/)).pipe(Schema.decodeTo(Schema.FiniteFromString))
]).check(Schema.isBetween({ minimum: 0, maximum: 100 }))
