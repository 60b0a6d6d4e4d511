import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

const Key = Schema.String.check(Schema.isUUID()).annotate({
  description:
    "A UUID that you make up for this action. It becomes the id of the record. The same key with the same content answers the first answer; with other content it answers 409",
  examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
})

/** The header of operations that move money or change a state. It is required. */
export const headers = { "idempotency-key": Key }

/** Adds the header `Idempotency-Replayed`, which marks the answer of an earlier request with the same key. */
export const replayable = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema, { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) })

/** Makes the answer of an operation from the outcome of `StaffActions.once`. */
export const answer = <A>({ answer, replayed }: { readonly answer: A; readonly replayed: boolean }) =>
  HttpApiSchema.withHeaders({ body: answer, headers: replayed ? { "idempotency-replayed": "true" as const } : {} })
