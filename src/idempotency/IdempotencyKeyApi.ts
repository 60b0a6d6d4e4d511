import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Text } from "../platform/fields/Text.ts"

/** Of an operation that spends; the field `idempotency_key` of its body does the same. */
export const headers = {
  "idempotency-key": Schema.optionalKey(
    Text(1, 255).annotate({
      description:
        "Makes the request safe to retry for 24 hours: 1 to 255 characters of yours, for example a UUID. The body's `idempotency_key` does the same and is a UUID",
      examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
    })
  )
}

/** An answer that says so when it was stored for an earlier request with the same key. */
export const replayable = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema, { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) })
