import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"

/** Chooses the key of the body or of the header; two different keys are a fault. */
export const oneKey = Effect.fnUntraced(function* (body: string | undefined, header: string | undefined) {
  if (body !== undefined && header !== undefined && body !== header)
    return yield* RequestInvalid.at(
      ["body", "idempotency_key"],
      "Differs from the header Idempotency-Key; send only one of them"
    )
  return body ?? header
})

export const replayable = <A>({ answer, replayed }: { readonly answer: A; readonly replayed: boolean }) =>
  HttpApiSchema.withHeaders({
    body: answer,
    headers: replayed ? { "idempotency-replayed": "true" as const } : {}
  })
