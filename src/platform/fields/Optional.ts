import { Option, Predicate, Schema, SchemaGetter } from "effect"

/** Annotations that the document shows for a field. */
type Documentation<A> = Pick<Schema.Annotations.Bottom<A | null, readonly []>, "default" | "description" | "examples">

/** Repeats the schema's description for the field, because readers would not see it inside the union. */
const described = (schema: Schema.Top) => {
  const description = Schema.resolveAnnotations(Schema.toEncoded(schema))?.description
  return description === undefined ? {} : { description }
}

/** An optional field of a request; `null` means that the field is absent. */
export const optional = <S extends Schema.Top>(
  schema: S,
  documentation: Documentation<S["Type"]> = described(schema)
) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate(documentation)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>(Option.filter(Predicate.isNotNull)),
      encode: SchemaGetter.passthroughSubtype<S["Type"] | null, S["Type"]>()
    })
  )
