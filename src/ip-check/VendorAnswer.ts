import { Effect, Schema } from "effect"

/**
 * A field that an answer may lack, or have in another shape: vendors change fields without notice, and fill those that
 * a plan does not include with text. Absent then.
 */
export const Maybe = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(schema.pipe(Schema.catchDecoding(() => Effect.succeedNone)))

export const Flag = Maybe(Schema.Boolean)

/** A score that an answer cannot do without. */
export const Score = Schema.Union([Schema.Finite, Schema.FiniteFromString]).check(
  Schema.isBetween({ minimum: 0, maximum: 100 })
)
