import { Result } from "effect"
import { type OAuthRefused, refused } from "./OAuthErrors.ts"

/** The parameters of a request, each sent once and not empty. */
export type Parameters = ReadonlyMap<string, string>

/** Reads parameters: an empty one counts as absent, a repeated one is a fault (RFC 6749 sections 3.1 and 3.2). */
export const read = (given: URLSearchParams): Result.Result<Parameters, OAuthRefused> => {
  const all = [...given]
  if (new Set(given.keys()).size < all.length)
    return Result.fail(refused("invalid_request", "Send every parameter only once"))
  // PostgreSQL cannot store or look up a text with a null byte.
  if (all.some(([, value]) => value.includes("\0")))
    return Result.fail(refused("invalid_request", "Send parameters without null bytes"))
  return Result.succeed(new Map(all.filter(([, value]) => value !== "")))
}

/** Reads a required parameter; the refusal shows `name`. */
export const required = (parameters: Parameters, name: string): Result.Result<string, OAuthRefused> =>
  Result.fromNullishOr(parameters.get(name), () => refused("invalid_request", `Send the parameter ${name}`))
