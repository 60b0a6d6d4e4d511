import { Schema } from "effect"
import { Role } from "../Role.ts"
import { StaffId } from "../StaffId.ts"

/** An open invitation: a link with which a person chooses a password. */
export const Invite = Schema.Struct({
  staff_id: StaffId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  ends_at: Schema.DateTimeUtcFromDate
})
export type Invite = typeof Invite.Type
