import { Option, Predicate, Schema, SchemaGetter } from "effect"

/** The annotations that a document shows beside a field. */
type Told<A> = Pick<Schema.Annotations.Bottom<A | null, readonly []>, "default" | "description" | "examples">

/** Repeats the schema's description beside the field: inside a union callers would not see it. */
const described = (schema: Schema.Top) => {
  const description = Schema.resolveAnnotations(Schema.toEncoded(schema))?.description
  return description === undefined ? {} : { description }
}

/** A field of a request that may be left out; `null` is the same as its absence. */
export const optional = <S extends Schema.Top>(schema: S, told: Told<S["Type"]> = described(schema)) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate(told)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional<S["Type"], S["Type"] | null>(Option.filter(Predicate.isNotNull)),
      encode: SchemaGetter.passthroughSubtype<S["Type"] | null, S["Type"]>()
    })
  )
