import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Text } from "../platform/Text.ts"

/** Of an operation that spends; the field `idempotency_key` of its body does the same. */
export const headers = { "idempotency-key": Schema.optionalKey(Text(1, 255)) }

/** An answer that says so when it was stored for an earlier request with the same key. */
export const replayable = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema, { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) })
