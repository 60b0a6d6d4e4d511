import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { ApiError } from "../platform/errors/ApiError.ts"
import { RateLimited } from "../platform/requests/RateLimit.ts"
import type { Caller } from "./Caller.ts"
import { Scope } from "./Scope.ts"
import type { UserId } from "./User.ts"

export class Unauthorized extends ApiError<Unauthorized>()("Unauthorized", {
  status: 401,
  detail: "Missing, expired or malformed credentials; sign in again, or send a valid API key in X-API-Key"
}) {}

export class InsufficientScope extends ApiError<InsufficientScope>()(
  "InsufficientScope",
  { status: 403, code: "INSUFFICIENT_SCOPE", detail: "The key lacks the scope that this operation needs" },
  { required_scope: Schema.Union([Scope, Schema.Literal("full-access")]).annotate({ examples: ["orders:read"] }) }
) {}

export class AddressNotAllowed extends ApiError<AddressNotAllowed>()("AddressNotAllowed", {
  status: 403,
  detail: "The key may not be used from this address; see its allowed_ips"
}) {}

/**
 * The scope a restricted API key must hold for an operation; annotate the endpoint with it.
 * An operation without one needs an unrestricted key or a signed-in session.
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
    error: [Unauthorized, InsufficientScope, AddressNotAllowed, RateLimited]
  }
) {}

export class SessionNeeded extends ApiError<SessionNeeded>()("SessionNeeded", {
  status: 401,
  detail: "This operation needs the token of a signed-in session, which is missing or has expired; API keys do not do"
}) {}

/** The same for operations that need direct user authentication: a session token only (specification section 5.1). */
export class SessionAuthentication extends HttpApiMiddleware.Service<SessionAuthentication, { provides: Caller }>()(
  "app/accounts/SessionAuthentication",
  { security: { bearer: HttpApiSecurity.bearer }, error: [SessionNeeded, RateLimited] }
) {}

/** The account whose flags count at an operation that needs no credentials; null for a caller without valid ones. */
export const Visitor = Context.Reference<UserId | null>("app/accounts/Visitor", { defaultValue: () => null })

/** Operations that know their caller when there is one: valid credentials count, and others do no harm. */
export class OptionalAuthentication extends HttpApiMiddleware.Service<OptionalAuthentication>()(
  "app/accounts/OptionalAuthentication",
  { error: RateLimited }
) {}

/** Operations that need no credentials: the global rate limit by client address. */
export class Anonymous extends HttpApiMiddleware.Service<Anonymous>()("app/accounts/Anonymous", {
  error: RateLimited
}) {}
