import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { RequestInvalid } from "../platform/errors/RequestInvalid.ts"

/** The body's key and the header's mean the same; two different ones are a mistake. */
export const oneKey = Effect.fnUntraced(function* (body: string | undefined, header: string | undefined) {
  if (body !== undefined && header !== undefined && body !== header)
    return yield* RequestInvalid.at(["body", "idempotency_key"], "Differs from the header Idempotency-Key; send one")
  return body ?? header
})

export const replayable = <A>({ answer, replayed }: { readonly answer: A; readonly replayed: boolean }) =>
  HttpApiSchema.withHeaders({
    body: answer,
    headers: replayed ? { "idempotency-replayed": "true" as const } : {}
  })
