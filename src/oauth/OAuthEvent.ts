import { Schema } from "effect"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"

/** An event between an account and an app, for the operator. The database itself records `revoked`. */
export const OAuthEvent = Schema.Struct({
  occurred_at: Schema.DateTimeUtcFromDate,
  kind: Schema.Literals([
    "approved",
    "declined",
    "redeemed",
    "refreshed",
    "code_reused",
    "refresh_token_reused",
    "revoked"
  ]),
  user_id: UserId,
  client_id: Schema.String,
  connection_id: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Scope)),
  /** The reason of a revocation. */
  reason: Schema.NullOr(Schema.String),
  client_address: Schema.NullOr(Schema.String)
})
export type OAuthEvent = typeof OAuthEvent.Type

/** An event with the email of the account; null for a deleted account and one without an email. */
export const AccountEvent = Schema.Struct({ ...OAuthEvent.fields, email: Schema.NullOr(Schema.String) })
export type AccountEvent = typeof AccountEvent.Type
