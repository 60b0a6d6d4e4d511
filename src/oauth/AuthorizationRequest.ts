import { Result, Schema } from "effect"
import type { ResourceAddresses } from "../accounts/OAuthAccessToken.ts"
import { reading, type Scope } from "../accounts/Scope.ts"
import { isLength } from "../platform/fields/Text.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import { type OAuthErrorCode, type OAuthRefused, refused } from "./OAuthErrors.ts"
import * as OAuthScope from "./OAuthScope.ts"
import * as Parameters from "./Parameters.ts"
import * as RedirectUri from "./RedirectUri.ts"
import { resourceOf } from "./Resource.ts"

const longestParameter = 2048
const isShort = Schema.is(Schema.String.check(isLength(0, longestParameter)))

/** The form of a SHA-256 hash in base64url (RFC 7636 section 4.2). */
const challenge = /^[\w-]{43}$/

type Checked<A> = Result.Result<A, OAuthRefused>

const fault = (error: OAuthErrorCode, description: string): Checked<never> => Result.fail(refused(error, description))

/** Requires a registered `redirect_uri`, even when the client registered only one. */
export const redirectUri = (parameters: Parameters.Parameters, client: OAuthClient): Checked<string> =>
  Result.flatMap(Parameters.required(parameters, "redirect_uri"), (given) =>
    client.redirect_uris.some((registered) => RedirectUri.matches(registered, given))
      ? Result.succeed(given)
      : fault("invalid_request", "Send a redirect_uri that the app registered")
  )

/**
 * True when a later fault goes to the client by redirect. Otherwise the person sees an error page: anyone can register a
 * client, and a redirect without the person's consent would make this endpoint an open redirector.
 */
export const tellsClient = (client: OAuthClient, redirect_uri: string): boolean =>
  client.is_verified || RedirectUri.isLoopback(redirect_uri)

const responseType = (parameters: Parameters.Parameters): Checked<void> =>
  Result.flatMap(Parameters.required(parameters, "response_type"), (given) =>
    given === "code" ? Result.void : fault("unsupported_response_type", "Send the response_type code")
  )

const responseMode = (parameters: Parameters.Parameters): Checked<void> =>
  (parameters.get("response_mode") ?? "query") === "query"
    ? Result.void
    : fault("invalid_request", "Send the response_mode query, or no response_mode")

const requestObject = (parameters: Parameters.Parameters): Checked<void> =>
  parameters.has("request") || parameters.has("request_uri")
    ? fault("invalid_request", "Send the request as plain parameters, not as a request object")
    : Result.void

const state = (parameters: Parameters.Parameters): Checked<string | null> => {
  const given = parameters.get("state") ?? null
  return given !== null && !isShort(given)
    ? fault("invalid_request", `Send a state of at most ${longestParameter} characters`)
    : Result.succeed(given)
}

/** Accepts only `S256`. A request without a method means `plain` (RFC 7636 section 4.3) and is refused. */
const codeChallenge = (parameters: Parameters.Parameters): Checked<string> =>
  Result.flatMap(Parameters.required(parameters, "code_challenge"), (given) => {
    if (parameters.get("code_challenge_method") !== "S256")
      return fault("invalid_request", "Send the code_challenge_method S256")
    return challenge.test(given)
      ? Result.succeed(given)
      : fault("invalid_request", "Send the base64url-encoded SHA-256 hash of the code verifier as code_challenge")
  })

const resource = (parameters: Parameters.Parameters, addresses: ResourceAddresses): Checked<string> =>
  Result.fromNullishOr(resourceOf(addresses, parameters.get("resource")), () =>
    refused("invalid_target", "Send the resource of the protected resource metadata, or no resource")
  )

/** Ignores unknown scopes. Without the parameter, the client requests the four reading scopes. */
const scopes = (parameters: Parameters.Parameters): Checked<ReadonlyArray<Scope>> => {
  const given = parameters.get("scope")
  if (given === undefined) return Result.succeed(reading)
  if (!isShort(given)) return fault("invalid_scope", `Send a scope of at most ${longestParameter} characters`)
  const known = OAuthScope.parse(given)
  return known.length > 0 ? Result.succeed(known) : fault("invalid_scope", "Send a scope of the metadata, or no scope")
}

/** Reads the rest of the request. `tellsClient` decides who sees its faults. */
export const terms = (parameters: Parameters.Parameters, addresses: ResourceAddresses) =>
  Result.gen(function* () {
    yield* responseType(parameters)
    yield* responseMode(parameters)
    yield* requestObject(parameters)
    return {
      state: yield* state(parameters),
      code_challenge: yield* codeChallenge(parameters),
      resource: yield* resource(parameters, addresses),
      scopes: yield* scopes(parameters)
    }
  })
