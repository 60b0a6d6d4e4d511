import { Schema } from "effect"
import { Scope } from "../accounts/Scope.ts"

/** Of a grant: what an account allows an app at one resource. Its connections, the single approvals, share it. */
export const GrantId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

/** An app that acts for an account at one resource, as its owner sees it: all its connections together. */
export const ConnectedApp = Schema.Struct({
  /** The API calls it `connection_id`. */
  id: GrantId,
  client_id: Schema.String,
  client_name: Schema.String,
  is_verified: Schema.Boolean,
  resource: Schema.String,
  scopes: Schema.Array(Scope),
  created_at: Schema.DateTimeUtcFromDate,
  last_used_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ConnectedApp = typeof ConnectedApp.Type
