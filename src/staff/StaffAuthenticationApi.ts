import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { ApiError } from "../platform/errors/ApiError.ts"
import { RateLimited } from "../platform/requests/RateLimit.ts"
import { type Actor, PermissionNeeded } from "./Actor.ts"
import type { Permission } from "./Permissions.ts"

export class StaffUnauthorized extends ApiError<StaffUnauthorized>()("StaffUnauthorized", {
  status: 401,
  detail: "Send a valid token of a staff member in Authorization: Bearer; tokens of customers do not work here"
}) {}

export class StaffAddressNotAllowed extends ApiError<StaffAddressNotAllowed>()("StaffAddressNotAllowed", {
  status: 403,
  detail: "The back office does not answer this address, or the token does not allow it"
}) {}

/**
 * The permission that an operation needs, as an annotation of the endpoint. The service does not start with an operation
 * that has none.
 */
export const RequiredPermission = Context.Reference<Permission | undefined>("app/staff/RequiredPermission", {
  defaultValue: () => undefined
})

/** Marks an operation that moves money or exports much, as an annotation of the endpoint: it has a lower rate limit. */
export const MovesMoney = Context.Reference<boolean>("app/staff/MovesMoney", { defaultValue: () => false })

/** Resolves the session or the token of a staff member to the `Actor`, within limits, and checks the permission. */
export class StaffAuthentication extends HttpApiMiddleware.Service<StaffAuthentication, { provides: Actor }>()(
  "app/staff/StaffAuthentication",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [StaffUnauthorized, PermissionNeeded, StaffAddressNotAllowed, RateLimited]
  }
) {}
