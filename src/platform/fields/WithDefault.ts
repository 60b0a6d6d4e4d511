import { Effect, Option, Predicate, Schema, SchemaGetter } from "effect"

/** A field of a request with a default, which the document shows; `null` means that the field is absent. */
export const withDefault = <S extends Schema.Top & Schema.WithoutConstructorDefault>(
  schema: S,
  value: S["Type"] & S["~type.make.in"],
  description: string
) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description, default: value })).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>((given) =>
        Option.orElseSome(Option.filter(given, Predicate.isNotNull), () => value)
      ),
      encode: SchemaGetter.passthroughSubtype<S["Type"] | null, S["Type"]>()
    }),
    Schema.withConstructorDefault(Effect.succeed(value))
  )
