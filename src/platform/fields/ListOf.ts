import { Schema, SchemaGetter } from "effect"

interface Options<Encoded> {
  readonly minimum?: number
  readonly maximum: number
  readonly description?: string
  readonly examples?: readonly [ReadonlyArray<Encoded>, ...ReadonlyArray<ReadonlyArray<Encoded>>]
}

/**
 * A list in a request. The schema checks the length before the elements, so that a too long list costs nothing;
 * `Schema.isMaxLength` would decode every element first. The document contains the items' schema inline.
 */
export const listOf = <S extends Schema.Codec<unknown, unknown>>(
  item: S,
  { description, examples, maximum, minimum = 0 }: Options<S["Encoded"]>
) => {
  const items = Schema.toJsonSchemaDocument(item, { referencePolicy: () => undefined }).schema
  const length = Schema.isBetweenLength(minimum, maximum, {
    expected: minimum === 0 ? `at most ${maximum} elements` : `${minimum} to ${maximum} elements`,
    toJsonSchema: () => ({ type: "array", items, ...(minimum > 0 && { minItems: minimum }), maxItems: maximum })
  })
  return Schema.declare((input): input is ReadonlyArray<S["Encoded"]> => Array.isArray(input), {
    expected: "array",
    toCodecJson: () => undefined
  })
    .check(length)
    .annotate({ ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) })
    .pipe(
      Schema.decodeTo(Schema.Array(item), { decode: SchemaGetter.passthrough(), encode: SchemaGetter.passthrough() })
    )
}
