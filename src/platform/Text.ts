import { Schema } from "effect"

/** Text of `minimum` to `maximum` characters that PostgreSQL can store: without NUL or half a surrogate pair. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => !text.includes("\u0000") || "must not contain the NUL character"),
    Schema.makeFilter((text) => text.isWellFormed() || "must be well-formed Unicode"),
    Schema.isMinLength(minimum),
    Schema.isMaxLength(maximum)
  )
