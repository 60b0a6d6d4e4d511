import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Text } from "../platform/fields/Text.ts"

/** The header of operations that spend money. The body field `idempotency_key` does the same. */
export const headers = {
  "idempotency-key": Schema.optionalKey(
    Text(1, 255).annotate({
      description:
        "Makes the request safe to repeat for 24 hours. Choose 1 to 255 characters, for example a UUID. The body field `idempotency_key` does the same and must be a UUID",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
    })
  )
}

/** Adds the header `Idempotency-Replayed`, which marks the stored answer of an earlier request with the same key. */
export const replayable = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema, { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) })
