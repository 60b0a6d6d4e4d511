import { Result } from "effect"
import { type OAuthRefused, refused } from "./OAuthErrors.ts"

/** The parameters of a request; each came once and holds something. */
export type Parameters = ReadonlyMap<string, string>

/** A parameter without a value counts as absent, one that comes twice spoils the request (RFC 6749 sections 3.1 and 3.2). */
export const read = (given: URLSearchParams): Result.Result<Parameters, OAuthRefused> => {
  const all = [...given]
  if (new Set(given.keys()).size < all.length)
    return Result.fail(refused("invalid_request", "Send every parameter only once"))
  // No text that is stored or looked up can hold it.
  if (all.some(([, value]) => value.includes("\0")))
    return Result.fail(refused("invalid_request", "Send parameters without null bytes"))
  return Result.succeed(new Map(all.filter(([, value]) => value !== "")))
}

/** `name` is one of RFC 6749's own: it is shown in the refusal. */
export const required = (parameters: Parameters, name: string): Result.Result<string, OAuthRefused> =>
  Result.fromNullishOr(parameters.get(name), () => refused("invalid_request", `Send the parameter ${name}`))
