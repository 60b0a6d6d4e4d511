import { Schema, SchemaGetter } from "effect"
import { isLength } from "../platform/fields/Text.ts"

const shape =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/** A mail address, stored in lower case and without surrounding spaces. */
export const Email = Schema.String.annotate({ format: "email", examples: ["ada@example.com"] }).pipe(
  Schema.decodeTo(
    Schema.String.check(
      isLength(0, 254),
      Schema.makeFilter((text) => shape.test(text) || "must be an email address")
    ),
    {
      decode: SchemaGetter.transform((text) => text.trim().toLowerCase()),
      encode: SchemaGetter.transform((text) => text)
    }
  )
)
