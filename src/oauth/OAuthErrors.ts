import { Schema } from "effect"

/** The error codes of redirects and of the token, registration and revocation endpoints (docs/contract.md, "OAuth"). */
export const OAuthErrorCode = Schema.Literals([
  "access_denied",
  "invalid_client",
  "invalid_client_metadata",
  "invalid_grant",
  "invalid_redirect_uri",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "slow_down",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type"
])
export type OAuthErrorCode = typeof OAuthErrorCode.Type

/** A refusal with an OAuth error code. `description` is for the app's developer, in ASCII (RFC 6749 section 5.2). */
export class OAuthRefused extends Schema.TaggedError<OAuthRefused>()("OAuthRefused", {
  error: OAuthErrorCode,
  description: Schema.String
}) {}

export const refused = (error: OAuthErrorCode, description: string) => new OAuthRefused({ error, description })
