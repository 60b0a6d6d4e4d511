import { Schema } from "effect"
import { Scope } from "../accounts/Scope.ts"

/** The id of a grant: the access of one app to one account at one resource. Each approval of the grant is a connection. */
export const GrantId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

/** An app that acts for an account at one resource: a grant with all its connections, as the owner sees it. */
export const ConnectedApp = Schema.Struct({
  /** The API calls it `connection_id`. */
  id: GrantId,
  client_id: Schema.String,
  client_name: Schema.String,
  is_verified: Schema.Boolean,
  resource: Schema.String,
  scopes: Schema.Array(Scope),
  /** In micro-dollars; null means no limit. */
  daily_spend_limit_usd: Schema.NullOr(Schema.BigInt),
  created_at: Schema.DateTimeUtcFromDate,
  last_used_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ConnectedApp = typeof ConnectedApp.Type
