import type { Extent } from "./Scenario.ts"

interface Edit {
  readonly file: string
  /** A text that occurs exactly once. */
  readonly find: string
  readonly replace: string
}

/** A safeguard to remove, and the invariant that breaks without it. */
export interface Plant {
  readonly name: string
  readonly what: string
  readonly edits: ReadonlyArray<Edit>
  /** The beginning of the invariant's name. */
  readonly breaks: string
  readonly extent: Partial<Extent>
}
