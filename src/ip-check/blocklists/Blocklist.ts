import type { Duration } from "effect"
import type { ReportedSignals } from "../signals/IpSignals.ts"
import type { Claim } from "../signals/Listing.ts"

/**
 * The format of a list. `networks`: each line begins with an address or a network. `spamhaus`: each line is a JSON object.
 * `tor`: an address follows the word `ExitAddress`.
 */
export type BlocklistFormat = "networks" | "spamhaus" | "tor"

/** A published list of addresses. The service holds a copy of it (docs/contract.md, "IP reputation checks"). */
export interface Blocklist {
  readonly id: string
  readonly label: string
  readonly url: string
  readonly format: BlocklistFormat
  /** The time between two downloads. */
  readonly interval: Duration.Duration
  /** The shortest time between two downloads that the publisher allows. */
  readonly minimum: Duration.Duration
  /** Null: the list contributes only its signal to checks, and is not part of surveys. */
  readonly claim: Claim | null
  /** The signal of its addresses in a check, which never changes the verdict. Null: no signal. */
  readonly signal: keyof ReportedSignals | null
  /** True when an empty list is valid. */
  readonly mayBeEmpty: boolean
  readonly attribution: string
  /** The conditions of its publisher, for the operator. */
  readonly licence: string
}
