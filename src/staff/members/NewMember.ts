import { Schema } from "effect"
import { Email } from "../../accounts/Email.ts"
import { Line } from "../../platform/fields/Line.ts"
import { Role } from "../Role.ts"

/** The form in which an owner invites a person. */
export const NewMember = Schema.Struct({
  email: Email,
  name: Line(1, 100).annotate({ examples: ["Ada"] }),
  role: Role
})
export type NewMember = typeof NewMember.Type
