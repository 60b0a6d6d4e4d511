import type { Effect } from "effect"

export type Section = "ledger" | "orders" | "payments"

/** Two records that do not agree: what it is about, how they differ, and what to do about it. */
interface Difference {
  readonly _tag: "Difference"
  readonly section: Section
  readonly subject: string
  readonly problem: string
  readonly remedy: string
}

/** What nobody answered for. */
interface Unchecked {
  readonly _tag: "Unchecked"
  readonly section: Section
  readonly subject: string
  readonly reason: string
}

/** How much was compared, or need not be. */
interface Checked {
  readonly _tag: "Checked"
  readonly section: Section
  readonly what: string
}

export type Finding = Difference | Unchecked | Checked

/** Takes a finding as soon as it is made: nothing is gathered. */
export type Tell = (finding: Finding) => Effect.Effect<void>
