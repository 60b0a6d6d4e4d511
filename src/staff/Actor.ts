import { Context, type DateTime, Effect } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"
import { Schema } from "effect"
import { Permission } from "./Permissions.ts"
import type { Role } from "./Role.ts"
import type { StaffId } from "./StaffId.ts"

export class PermissionNeeded extends ApiError<PermissionNeeded>()(
  "PermissionNeeded",
  { status: 403, detail: "Your role or token does not allow this; ask an owner" },
  { reason: Schema.tag("permission_needed"), permission: Permission }
) {}

/** Who acts for the operator: a staff member in a session, a token of one, a command, or the service itself. */
export class Actor extends Context.Service<
  Actor,
  {
    readonly kind: "staff" | "token" | "cli" | "system"
    /** Id of the session's staff member or of the token; null for commands and the service. */
    readonly id: string | null
    /** The person behind a session or a token. */
    readonly staff_id: StaffId | null
    readonly name: string
    readonly role: Role | null
    /** Address of the client; null outside a request. */
    readonly address: string | null
    /** Null allows everything, for commands and the service. */
    readonly permissions: ReadonlySet<Permission> | null
    /** The last time that the person gave password and code; null without a session. */
    readonly confirmed_at: DateTime.Utc | null
  }
>()("app/staff/Actor") {}

/** True when the actor has a permission. */
export const may = ({ permissions }: Actor["Service"], permission: Permission): boolean =>
  permissions === null || permissions.has(permission)

/** Refuses an actor without a permission. */
export const needs = (actor: Actor["Service"], permission: Permission): Effect.Effect<void, PermissionNeeded> =>
  may(actor, permission) ? Effect.void : Effect.fail(new PermissionNeeded({ details: { permission } }))

const outside = { id: null, staff_id: null, role: null, address: null, permissions: null, confirmed_at: null }

/** A command that a user of the machine runs. */
export const cli = (user: string): Actor["Service"] => ({ ...outside, kind: "cli", name: `cli:${user}` })

/** The service itself, in a job. */
export const system: Actor["Service"] = { ...outside, kind: "system", name: "system" }
