import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { ApiError } from "../platform/errors/ApiError.ts"
import { RateLimited } from "../platform/requests/RateLimit.ts"
import type { Caller } from "./Caller.ts"
import { Scope } from "./Scope.ts"
import type { UserId } from "./User.ts"

export class Unauthorized extends ApiError<Unauthorized>()("Unauthorized", {
  status: 401,
  detail: "The credentials are missing, expired or malformed; sign in again, or send a valid API key in X-API-Key"
}) {}

export class InsufficientScope extends ApiError<InsufficientScope>()(
  "InsufficientScope",
  { status: 403, code: "INSUFFICIENT_SCOPE", detail: "The credential lacks the scope that this operation needs" },
  { required_scope: Schema.Union([Scope, Schema.Literal("full-access")]).annotate({ examples: ["orders:read"] }) }
) {}

export class AddressNotAllowed extends ApiError<AddressNotAllowed>()("AddressNotAllowed", {
  status: 403,
  detail: "The key does not allow requests from this address; its allowed_ips list the addresses it allows"
}) {}

export class AccountBlocked extends ApiError<AccountBlocked>()("AccountBlocked", {
  status: 403,
  detail: "The operator has blocked the account of this key; contact the support"
}) {}

/**
 * The scope that a restricted API key needs for an operation, as an annotation of the endpoint. An operation without this
 * annotation needs an unrestricted key or a session.
 */
export const RequiredScope = Context.Reference<Scope | "full-access">("app/accounts/RequiredScope", {
  defaultValue: () => "full-access"
})

/** Resolves an API key or a session token to the `Caller`, within the global rate limit. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "app/accounts/Authentication",
  {
    security: {
      apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }),
      bearer: HttpApiSecurity.bearer
    },
    error: [Unauthorized, InsufficientScope, AddressNotAllowed, AccountBlocked, RateLimited]
  }
) {}

export class SessionNeeded extends ApiError<SessionNeeded>()("SessionNeeded", {
  status: 401,
  detail: "The session token is missing or has expired; sign in again. This operation does not accept API keys"
}) {}

/** Accepts session tokens only, for operations that only a person may call (docs/contract.md, "Accounts and sessions"). */
export class SessionAuthentication extends HttpApiMiddleware.Service<SessionAuthentication, { provides: Caller }>()(
  "app/accounts/SessionAuthentication",
  { security: { bearer: HttpApiSecurity.bearer }, error: [SessionNeeded, RateLimited] }
) {}

/**
 * The account of the caller at an operation that needs no credentials; null without valid credentials. The flags of this
 * account apply.
 */
export const Visitor = Context.Reference<UserId | null>("app/accounts/Visitor", { defaultValue: () => null })

/** Identifies the caller where credentials are optional: accepts valid ones and ignores others. */
export class OptionalAuthentication extends HttpApiMiddleware.Service<OptionalAuthentication>()(
  "app/accounts/OptionalAuthentication",
  { error: RateLimited }
) {}

/** Applies the global rate limit per client address, for operations that need no credentials. */
export class Anonymous extends HttpApiMiddleware.Service<Anonymous>()("app/accounts/Anonymous", {
  error: RateLimited
}) {}
