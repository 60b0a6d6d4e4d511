import type { Effect } from "effect"

export type Section = "ledger" | "orders" | "payments" | "audit"

/** Two records that differ: `subject` names them, `problem` says how they differ, `remedy` what the operator does. */
interface Difference {
  readonly _tag: "Difference"
  readonly section: Section
  readonly subject: string
  readonly problem: string
  readonly remedy: string
}

/** Records that were not compared, because the other side did not answer. */
interface Unchecked {
  readonly _tag: "Unchecked"
  readonly section: Section
  readonly subject: string
  readonly reason: string
}

/** The number of records that were compared, or that need no comparison. */
interface Checked {
  readonly _tag: "Checked"
  readonly section: Section
  readonly what: string
}

export type Finding = Difference | Unchecked | Checked

/** Receives each finding as soon as it is made, so that memory does not grow with their number. */
export type Report = (finding: Finding) => Effect.Effect<void>
