import { Schema } from "effect"
import { Scope } from "../accounts/Scope.ts"
import { UserId } from "../accounts/User.ts"

/** What an operator can read of what happened; `revoked` is recorded by the database itself. */
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
  /** Of a revocation. */
  reason: Schema.NullOr(Schema.String),
  client_address: Schema.NullOr(Schema.String)
})
export type OAuthEvent = typeof OAuthEvent.Type

/** The same with the account's email; null for one that has none, or is deleted. */
export const AccountEvent = Schema.Struct({ ...OAuthEvent.fields, email: Schema.NullOr(Schema.String) })
export type AccountEvent = typeof AccountEvent.Type
