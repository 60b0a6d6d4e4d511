import { Predicate, Result, Schema } from "effect"
import { listOf } from "../platform/fields/ListOf.ts"
import { isLength } from "../platform/fields/Text.ts"
import { ApplicationType, GrantType, type OAuthClient, TokenEndpointAuthMethod } from "./OAuthClient.ts"
import { type OAuthErrorCode, type OAuthRefused, refused } from "./OAuthErrors.ts"
import * as RedirectUri from "./RedirectUri.ts"

/** The registered metadata of a client (RFC 7591, section 2). */
export type ClientMetadata = Pick<
  OAuthClient,
  "name" | "redirect_uris" | "grant_types" | "application_type" | "token_endpoint_auth_method"
>

const mostRedirectUris = 20
const mostGrantTypes = 20
const mostNameCharacters = 100
/** The limit for all redirect URIs of a client together, because anyone can make the service store them. */
const mostUriCharacters = 8192

/** Control characters and invisible characters that reorder or hide text; allows the joiners of emoji and Persian. */
const deceptive = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Characters that are invisible on their own. */
const blank = /[\p{Default_Ignorable_Code_Point}\u2800\s]/gu

const Name = Schema.Trim.check(
  isLength(1, mostNameCharacters),
  Schema.makeFilter((text) => !deceptive.test(text) && text.replace(blank, "") !== "")
)

const RedirectUris = listOf(Schema.String, { minimum: 1, maximum: mostRedirectUris }).check(
  Schema.makeFilter((uris) => uris.join("").length <= mostUriCharacters)
)

const GrantTypes = listOf(GrantType, { maximum: mostGrantTypes }).check(
  Schema.makeFilter((grantTypes) => grantTypes.includes("authorization_code"))
)

const ResponseTypes = Schema.Tuple([Schema.Literal("code")])

/** Reads a member; null counts as absent (RFC 7592, section 2.2). */
const member = <A, I>(
  schema: Schema.Codec<A, I>,
  description: string,
  error: OAuthErrorCode = "invalid_client_metadata"
) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown, absent?: I) => Result.mapError(decode(value ?? absent), () => refused(error, description))
}

const redirectUrisOf = member(
  RedirectUris,
  `redirect_uris must be a list of 1 to ${mostRedirectUris} URIs, with at most ${mostUriCharacters} characters in total`,
  "invalid_redirect_uri"
)
const nameOf = member(
  Name,
  `client_name must have 1 to ${mostNameCharacters} characters and no control or invisible characters`
)
const applicationTypeOf = member(ApplicationType, "application_type must be web or native")
const methodOf = member(
  TokenEndpointAuthMethod,
  "token_endpoint_auth_method must be none, client_secret_post or client_secret_basic"
)
const grantTypesOf = member(
  GrantTypes,
  "grant_types must contain authorization_code and may also contain refresh_token, but nothing else"
)
const responseTypesOf = member(ResponseTypes, "response_types must be a list with the single entry code")

const allowed = (uris: ReadonlyArray<string>, application_type: ApplicationType) => {
  for (const [index, uri] of uris.entries()) {
    const fault = RedirectUri.faultOf(uri, application_type)
    if (fault !== undefined) return Result.fail(refused("invalid_redirect_uri", `redirect_uris[${index}] ${fault}`))
  }
  return Result.succeed(uris)
}

/** The name of a client that sends none. */
const defaultName = (redirect_uri = "") =>
  /^https:/i.test(redirect_uri) ? new URL(redirect_uri).hostname.slice(0, mostNameCharacters) : "Unnamed app"

/**
 * Reads the body of a registration request (RFC 7591, section 3.1). Ignores `scope` and unknown members.
 */
export const read = (body: unknown): Result.Result<ClientMetadata, OAuthRefused> =>
  Result.gen(function* () {
    if (!Predicate.isObject(body)) {
      return yield* Result.fail(refused("invalid_client_metadata", "The body must be a JSON object"))
    }
    const application_type = yield* applicationTypeOf(body["application_type"], "web")
    const redirect_uris = yield* allowed(yield* redirectUrisOf(body["redirect_uris"]), application_type)
    const token_endpoint_auth_method = yield* methodOf(body["token_endpoint_auth_method"], "client_secret_basic")
    const grantTypes = yield* grantTypesOf(body["grant_types"], GrantType.literals)
    yield* responseTypesOf(body["response_types"], ["code"])
    const name = yield* nameOf(body["client_name"], defaultName(redirect_uris[0]))
    return { name, redirect_uris, grant_types: [...new Set(grantTypes)], application_type, token_endpoint_auth_method }
  })
