import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Line } from "../../platform/fields/Line.ts"
import * as Keyset from "../Keyset.ts"
import { Role } from "../Role.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { InviteNotFound, LastOwner, StaffEmailTaken, StaffNotFound, StepUpNeeded } from "../StaffErrors.ts"
import { StaffId } from "../StaffId.ts"
import { Invite } from "./Invite.ts"
import { MemberView } from "./Member.ts"
import { NewMember } from "./NewMember.ts"

/** Text that every change of staff has in its description. */
const fresh = "Needs password and code of the last 5 minutes, so tokens cannot do it."

const params = { staff_id: StaffId }
const Reason = Schema.Struct({ reason: Line(1, 500).annotate({ examples: ["Left the company"] }) })

const InviteView = Schema.Struct({ ...Invite.fields, ends_at: Schema.DateTimeUtcFromString })
const InviteWithLink = Schema.Struct({
  ...InviteView.fields,
  link: Schema.String.annotate({
    description: "Give it to the person, who chooses a password with it. The service shows it only here",
    examples: ["https://proxies.example.com/admin/invite?token=0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  })
}).annotate({ identifier: "InviteWithLink" })

const InviteList = Schema.Struct({ items: Schema.Array(InviteView.annotate({ identifier: "Invite" })) }).annotate({
  identifier: "InviteList"
})

const listStaff = HttpApiEndpoint.get("listStaff", "/staff", {
  query: Keyset.query,
  success: Keyset.view(MemberView).annotate({ identifier: "StaffPage" })
})
  .annotate(RequiredPermission, "staff.read")
  .annotate(OpenApi.Summary, "List staff")
  .annotate(OpenApi.Description, "Lists all members with their role and state, the newest first.")

const getStaff = HttpApiEndpoint.get("getStaff", "/staff/:staff_id", {
  params,
  success: MemberView,
  error: StaffNotFound
})
  .annotate(RequiredPermission, "staff.read")
  .annotate(OpenApi.Summary, "Get a staff member")
  .annotate(OpenApi.Description, "Shows one member.")

const setRole = HttpApiEndpoint.post("setStaffRole", "/staff/:staff_id/role", {
  params,
  payload: Schema.Struct({ role: Role }),
  success: MemberView,
  error: [StaffNotFound, LastOwner, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Change a role")
  .annotate(
    OpenApi.Description,
    `Gives the member another role, and ends the sessions and tokens of the member. ${fresh}`
  )

const disable = HttpApiEndpoint.post("disableStaff", "/staff/:staff_id/disable", {
  params,
  payload: Reason,
  success: MemberView,
  error: [StaffNotFound, LastOwner, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Disable a staff member")
  .annotate(
    OpenApi.Description,
    `Ends the access of the member at once, with all sessions, tokens and the open invitation. ${fresh}`
  )

const enable = HttpApiEndpoint.post("enableStaff", "/staff/:staff_id/enable", {
  params,
  payload: Reason,
  success: MemberView,
  error: [StaffNotFound, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Enable a staff member")
  .annotate(OpenApi.Description, `Lets the member sign in again, with the same password and second factor. ${fresh}`)

const resetSecondFactor = HttpApiEndpoint.post("resetStaffSecondFactor", "/staff/:staff_id/reset-second-factor", {
  params,
  success: MemberView,
  error: [StaffNotFound, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Reset a second factor")
  .annotate(
    OpenApi.Description,
    `Removes the authenticator app of a member who has lost it. The next sign-in sets up another. ${fresh}`
  )

const listInvites = HttpApiEndpoint.get("listInvites", "/invites", { success: InviteList })
  .annotate(RequiredPermission, "staff.read")
  .annotate(OpenApi.Summary, "List open invitations")
  .annotate(OpenApi.Description, "Lists the invitations that wait for their person, without their links.")

const createInvite = HttpApiEndpoint.post("createInvite", "/invites", {
  payload: NewMember,
  success: InviteWithLink.pipe(HttpApiSchema.status(201)),
  error: [StaffEmailTaken, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Invite a person")
  .annotate(OpenApi.Description, `Adds a member, and returns a link that works once within 48 hours. ${fresh}`)

const renewInvite = HttpApiEndpoint.post("renewInvite", "/staff/:staff_id/invite", {
  params,
  success: InviteWithLink.pipe(HttpApiSchema.status(201)),
  error: [StaffNotFound, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Invite a member again")
  .annotate(
    OpenApi.Description,
    `Returns another link, and makes the earlier one useless. A member who has forgotten the password chooses another with it. ${fresh}`
  )

const revokeInvite = HttpApiEndpoint.delete("revokeInvite", "/staff/:staff_id/invite", {
  params,
  success: HttpApiSchema.Empty(204),
  error: [InviteNotFound, StepUpNeeded]
})
  .annotate(RequiredPermission, "staff.change")
  .annotate(OpenApi.Summary, "Revoke an invitation")
  .annotate(OpenApi.Description, `Makes the link useless. ${fresh}`)

/** The operations on staff accounts. */
export class MembersApi extends HttpApiGroup.make("adminStaff")
  .add(listStaff, getStaff, setRole, disable, enable, resetSecondFactor)
  .add(listInvites, createInvite, renewInvite, revokeInvite)
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Staff")
  .annotate(OpenApi.Description, "Who works for the operator, with which role.") {}
