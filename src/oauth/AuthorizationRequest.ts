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

/** What SHA-256 is in base64url (RFC 7636 section 4.2). */
const challenge = /^[\w-]{43}$/

type Checked<A> = Result.Result<A, OAuthRefused>

const fault = (error: OAuthErrorCode, description: string): Checked<never> => Result.fail(refused(error, description))

/** One that the client registered, and it must be named even when that is the only one (specification section 5.2). */
export const redirectUri = (parameters: Parameters.Parameters, client: OAuthClient): Checked<string> =>
  Result.flatMap(Parameters.required(parameters, "redirect_uri"), (given) =>
    client.redirect_uris.some((registered) => RedirectUri.matches(registered, given))
      ? Result.succeed(given)
      : fault("invalid_request", "Send a redirect_uri that the app registered")
  )

/** Whom a fault is told that is found once these are known: the app itself, or else the person (specification section 5.2). */
export const tellsClient = (client: OAuthClient, redirect_uri: string): boolean =>
  client.is_verified || RedirectUri.isLoopback(redirect_uri)

const responseType = (parameters: Parameters.Parameters): Checked<void> =>
  Result.flatMap(Parameters.required(parameters, "response_type"), (given) =>
    given === "code" ? Result.void : fault("unsupported_response_type", "Send the response_type code")
  )

const responseMode = (parameters: Parameters.Parameters): Checked<void> =>
  (parameters.get("response_mode") ?? "query") === "query"
    ? Result.void
    : fault("invalid_request", "Send the response_mode query, or none")

const requestObject = (parameters: Parameters.Parameters): Checked<void> =>
  parameters.has("request") || parameters.has("request_uri")
    ? fault("invalid_request", "Send plain parameters and no request object")
    : Result.void

const state = (parameters: Parameters.Parameters): Checked<string | null> => {
  const given = parameters.get("state") ?? null
  return given !== null && !isShort(given)
    ? fault("invalid_request", `Send a state of at most ${longestParameter} characters`)
    : Result.succeed(given)
}

/** `S256` only: whoever leaves the method out means `plain` (RFC 7636 section 4.3). */
const codeChallenge = (parameters: Parameters.Parameters): Checked<string> =>
  Result.flatMap(Parameters.required(parameters, "code_challenge"), (given) => {
    if (parameters.get("code_challenge_method") !== "S256")
      return fault("invalid_request", "Send the code_challenge_method S256")
    return challenge.test(given)
      ? Result.succeed(given)
      : fault("invalid_request", "Send as code_challenge the base64url SHA-256 of the code verifier")
  })

const resource = (parameters: Parameters.Parameters, addresses: ResourceAddresses): Checked<string> =>
  Result.fromNullishOr(resourceOf(addresses, parameters.get("resource")), () =>
    refused("invalid_target", "Send the resource of the protected resource metadata, or none")
  )

/** The four reading ones when the client names none; those that are unknown are dropped (decisions section 9). */
const scopes = (parameters: Parameters.Parameters): Checked<ReadonlyArray<Scope>> => {
  const given = parameters.get("scope")
  if (given === undefined) return Result.succeed(reading)
  if (!isShort(given)) return fault("invalid_scope", `Send a scope of at most ${longestParameter} characters`)
  const known = OAuthScope.parse(given)
  return known.length > 0 ? Result.succeed(known) : fault("invalid_scope", "Send a scope of the metadata, or none")
}

/** What is asked for. Its faults are for whoever `tellsClient` says. */
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
