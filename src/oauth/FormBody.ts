import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as FormText from "../platform/fields/FormText.ts"
import { type OAuthRefused, refused } from "./OAuthErrors.ts"
import * as Parameters from "./Parameters.ts"

/** Parses `application/x-www-form-urlencoded` as RFC 6749 section 3.2 requires. */
export const parse = (
  contentType: string | undefined,
  body: string
): Result.Result<Parameters.Parameters, OAuthRefused> => {
  if (contentType?.split(";", 1)[0]?.trim().toLowerCase() !== "application/x-www-form-urlencoded")
    return Result.fail(refused("invalid_request", "Send the parameters as application/x-www-form-urlencoded"))
  return FormText.holdsTooMany(body)
    ? Result.fail(refused("invalid_request", `Send at most ${FormText.mostFields} parameters`))
    : Parameters.read(new URLSearchParams(body))
}

/** Reads the form of the current request. */
export const read = Effect.gen(function* () {
  const { headers, text } = yield* HttpServerRequest.HttpServerRequest
  return yield* Effect.fromResult(parse(headers["content-type"], yield* Effect.orDie(text)))
})
