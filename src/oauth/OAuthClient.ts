import { Schema } from "effect"

export const GrantType = Schema.Literals(["authorization_code", "refresh_token"])
export type GrantType = typeof GrantType.Type

export const TokenEndpointAuthMethod = Schema.Literals(["none", "client_secret_post", "client_secret_basic"])
export type TokenEndpointAuthMethod = typeof TokenEndpointAuthMethod.Type

/** `native` allows a redirect URI with a private-use scheme. */
export const ApplicationType = Schema.Literals(["web", "native"])
export type ApplicationType = typeof ApplicationType.Type

/** An app that acts for people. It registered itself (`dcr_...`), or a document at its id describes it. */
export const OAuthClient = Schema.Struct({
  id: Schema.String,
  /** True when a document at its id describes it. Then the address shows the publisher. */
  is_verified: Schema.Boolean,
  name: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  grant_types: Schema.Array(GrantType),
  application_type: ApplicationType,
  token_endpoint_auth_method: TokenEndpointAuthMethod,
  secret_hash: Schema.NullOr(Schema.String),
  /** The time until which the document is fresh; null for a registered client. */
  fresh_until: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate,
  last_used_at: Schema.DateTimeUtcFromDate
})
export type OAuthClient = typeof OAuthClient.Type
