import { type Phrase, text } from "../../pages/Html.ts"
import type { Role } from "../../staff/Role.ts"

/** The names of the roles. */
export const roleText: Readonly<Record<Role, Phrase>> = {
  owner: text("admin.role_owner"),
  finance: text("admin.role_finance"),
  support: text("admin.role_support"),
  viewer: text("admin.role_viewer")
}
