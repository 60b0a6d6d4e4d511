import { Schema } from "effect"

const lengthIn = (minimum: number, maximum: number) =>
  minimum === maximum
    ? `${minimum} characters`
    : minimum === 0
      ? `at most ${maximum} characters`
      : `${minimum} to ${maximum} characters`

/**
 * Checks a length in characters (Unicode code points), as JSON Schema counts them. Effect's own length checks count
 * UTF-16 units.
 */
export const isLength = (minimum: number, maximum: number) =>
  Schema.isBetweenCodePoints(minimum, maximum, {
    expected: `a text of ${lengthIn(minimum, maximum)}`,
    // One object, because the check's own JSON Schema is a list of two.
    toJsonSchema: () => ({ ...(minimum > 0 && { minLength: minimum }), maxLength: maximum })
  })

/** Text of `minimum` to `maximum` characters that PostgreSQL can store: without NUL or half a surrogate pair. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => !text.includes("\u0000") || "must not contain the NUL character"),
    Schema.makeFilter((text) => text.isWellFormed() || "must be well-formed Unicode"),
    isLength(minimum, maximum)
  )
