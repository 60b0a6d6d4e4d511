import { Context } from "effect"

/** True in a transaction that only shows what would happen: its refusal is not an attempt. */
export const Rehearsal = Context.Reference("app/staff/Rehearsal", { defaultValue: () => false })
