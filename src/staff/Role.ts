import { Schema } from "effect"

/** The fixed roles of staff, from most rights to fewest. */
export const Role = Schema.Literals(["owner", "finance", "support", "viewer"]).annotate({
  description: "The role decides which operations a staff member may call",
  examples: ["support"]
})
export type Role = typeof Role.Type
