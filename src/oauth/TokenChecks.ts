import { DateTime, Result } from "effect"
import type { ResourceAddresses } from "../accounts/OAuthAccessToken.ts"
import type { Scope } from "../accounts/Scope.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import { type OAuthErrorCode, type OAuthRefused, refused } from "./OAuthErrors.ts"
import * as Pkce from "./Pkce.ts"
import { resourceOf } from "./Resource.ts"
import type { Connection, RefreshToken } from "./TokensRepo.ts"

type Checked<A> = Result.Result<A, OAuthRefused>

const fault = (error: OAuthErrorCode, description: string): Checked<never> => Result.fail(refused(error, description))

const unless = (isRight: boolean, error: OAuthErrorCode, description: string): Checked<void> =>
  isRight ? Result.void : fault(error, description)

export const unknownCode = fault("invalid_grant", "The code is unknown; begin a new authorization")
export const reusedCode = fault(
  "invalid_grant",
  "The code was already used, so its connection has ended; begin a new authorization"
)
export const unknownToken = fault("invalid_grant", "The refresh token is unknown; begin a new authorization")
export const reusedToken = fault(
  "invalid_grant",
  "The refresh token was already used, so its connection has ended; begin a new authorization"
)

/** Checks that the code belongs to this client, redirect URI and verifier (RFC 6749 section 4.1.3, RFC 7636 section 4.6). */
export const codeProof = (
  client: OAuthClient,
  connection: Connection,
  given: { readonly redirect_uri: string; readonly code_verifier: string }
): Checked<void> =>
  Result.gen(function* () {
    if (connection.client_id !== client.id) yield* unknownCode
    yield* unless(
      connection.redirect_uri === given.redirect_uri,
      "invalid_grant",
      "Send the redirect_uri of the authorization request"
    )
    yield* unless(
      Pkce.proves(given.code_verifier, connection.code_challenge),
      "invalid_grant",
      "Send the code_verifier of the code_challenge in the authorization request"
    )
  })

export const codeAge = ({ code_expires_at, revoked_at }: Connection, now: DateTime.Utc): Checked<void> =>
  unless(
    revoked_at === null && DateTime.isLessThan(now, code_expires_at),
    "invalid_grant",
    "The code has expired or was revoked; begin a new authorization"
  )

export const tokenAge = (connection: Connection, token: RefreshToken, now: DateTime.Utc): Checked<void> =>
  unless(
    connection.revoked_at === null &&
      DateTime.isLessThan(now, connection.expires_at) &&
      DateTime.isLessThan(now, token.expires_at),
    "invalid_grant",
    "The refresh token has expired or was revoked; begin a new authorization"
  )

/** Checks the resource of a token request, which may repeat only the approved resource (RFC 8707 section 2.2). */
export const resource = (
  addresses: ResourceAddresses,
  connection: Connection,
  asked: string | undefined
): Checked<void> =>
  unless(
    asked === undefined || resourceOf(addresses, asked) === connection.resource,
    "invalid_target",
    "Send the resource of the authorization request, or no resource"
  )

/** Reads the scopes of a refresh. It may request only scopes that the connection holds (RFC 6749 section 6). */
export const scopes = ({ scopes }: Connection, asked: string | undefined): Checked<ReadonlyArray<Scope>> => {
  const words = new Set(asked?.split(" ").filter((word) => word !== ""))
  if (words.size === 0) return Result.succeed(scopes)
  const kept = scopes.filter((scope) => words.has(scope))
  return kept.length === words.size
    ? Result.succeed(kept)
    : fault("invalid_scope", "Send only scopes that the connection holds, or no scope to keep all of them")
}
