import { Schema } from "effect"

export const GrantType = Schema.Literals(["authorization_code", "refresh_token"])
export type GrantType = typeof GrantType.Type

export const TokenEndpointAuthMethod = Schema.Literals(["none", "client_secret_post", "client_secret_basic"])
export type TokenEndpointAuthMethod = typeof TokenEndpointAuthMethod.Type

/** `native` is for apps that are called back at a private-use scheme. */
export const ApplicationType = Schema.Literals(["web", "native"])
export type ApplicationType = typeof ApplicationType.Type

/** An app that acts for people: registered by itself (`dcr_...`), or described by the document at its id. */
export const OAuthClient = Schema.Struct({
  id: Schema.String,
  /** Whether a document at its own address describes it, so that the address says whose it is (decisions section 9). */
  is_verified: Schema.Boolean,
  name: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  grant_types: Schema.Array(GrantType),
  application_type: ApplicationType,
  token_endpoint_auth_method: TokenEndpointAuthMethod,
  secret_hash: Schema.NullOr(Schema.String),
  /** Until when a document needs not be fetched again; null for a registered client. */
  fresh_until: Schema.NullOr(Schema.DateTimeUtcFromDate),
  created_at: Schema.DateTimeUtcFromDate,
  last_used_at: Schema.DateTimeUtcFromDate
})
export type OAuthClient = typeof OAuthClient.Type
