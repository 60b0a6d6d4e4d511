import { Effect, Schema } from "effect"

/** A field that may be left out. The default stands in its schema too, where those who call read it. */
export const withDefault = <S extends Schema.Top & Schema.WithoutConstructorDefault>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"],
  description: string
) => {
  // An annotated schema is of the same type; `Rebuild` does not say so of every schema.
  const described = schema.annotate({ description, default: value }) as unknown as S
  return described.pipe(
    Schema.withConstructorDefault(Effect.succeed(value)),
    Schema.withDecodingDefaultKey(Effect.succeed(value))
  )
}
