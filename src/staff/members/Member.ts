import { Schema } from "effect"
import { Role } from "../Role.ts"
import { StaffId } from "../StaffId.ts"

/** A staff member. `invited` means that the person has not chosen a password yet. */
export const Member = Schema.Struct({
  id: StaffId,
  email: Schema.String.annotate({ examples: ["ada@example.com"] }),
  name: Schema.String.annotate({ examples: ["Ada"] }),
  role: Role,
  state: Schema.Literals(["invited", "active", "disabled"]).annotate({ examples: ["active"] }),
  second_factor: Schema.Boolean.annotate({ description: "True when the person has set up an authenticator app" }),
  created_at: Schema.DateTimeUtcFromDate
})
export type Member = typeof Member.Type

/** The wire form of a staff member. */
export const MemberView = Schema.Struct({ ...Member.fields, created_at: Schema.DateTimeUtcFromString }).annotate({
  identifier: "StaffMember"
})
