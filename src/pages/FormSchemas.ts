import { DateTime, Schema, SchemaGetter } from "effect"

/** A value that a page gives to a form, so that a form that is sent twice acts once. */
export const Nonce = Schema.String.check(Schema.isUUID())

/** What a form sends for a name that several boxes share: one text, or a list of texts. */
const OneOrMany = Schema.Union([Schema.Array(Schema.String), Schema.String])

/** Decodes ticked boxes to the values of a schema. */
export const boxes = <S extends Schema.ConstraintDecoder<unknown> & Schema.Top>(item: S) =>
  OneOrMany.pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform((given) => (typeof given === "string" ? [given] : given) as never),
      encode: SchemaGetter.transform((items) => items as never)
    })
  )

/** Decodes the lines of a text area, without empty ones. */
export const Lines = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((text) =>
      text
        .split(/[\n,;]+/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
    ),
    encode: SchemaGetter.transform((lines) => lines.join("\n"))
  })
)

/** Decodes the entries of a text area: between them are spaces, line breaks, commas or semicolons. */
export const Entries = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((text) => text.split(/[\s,;]+/).filter((entry) => entry !== "")),
    encode: SchemaGetter.transform((entries) => entries.join("\n"))
  })
)

/** Decodes a decimal number that a page wrote into its form. */
export const Decimal = Schema.String.check(Schema.isPattern(/^\d{1,12}(\.\d{1,6})?$/)).pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

/**
 * Decodes an amount that a person typed to a plain decimal text. Languages write the decimals after a point or after a comma,
 * and use the other sign between thousands. So `1,000` is refused, as it may be a thousand or one.
 */
export const TypedAmount = Schema.Trim.check(Schema.isPattern(/^(\d{1,12}([.,](\d{1,2}|\d{4,6}))?|0[.,]\d{3})$/)).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => text.replace(",", ".")),
    encode: SchemaGetter.transform((text) => text)
  })
)

/** Decodes a time of a field `datetime-local`, which is in UTC here. */
export const TypedTime = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/)).pipe(
  Schema.decodeTo(Schema.DateTimeUtcFromString, {
    decode: SchemaGetter.transform((text) => `${text}:00Z`),
    encode: SchemaGetter.transform((text) => text.slice(0, 16))
  })
)

/** A time as the value of a field `datetime-local`, in UTC. */
export const timeValue = (time: DateTime.Utc): string => DateTime.formatIso(time).slice(0, 16)
