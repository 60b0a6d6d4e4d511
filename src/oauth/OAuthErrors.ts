import { Schema } from "effect"

/** The errors of the token, registration and revocation endpoints and of redirects (specification section 7.3). */
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

/** A refusal in OAuth's own words; `description` is for the developer who reads the answer, in ASCII. */
export class OAuthRefused extends Schema.TaggedError<OAuthRefused>()("OAuthRefused", {
  error: OAuthErrorCode,
  description: Schema.String
}) {}

export const refused = (error: OAuthErrorCode, description: string) => new OAuthRefused({ error, description })
