import type { Duration } from "effect"
import type { ReportedSignals } from "../signals/IpSignals.ts"
import type { Claim } from "../signals/Listing.ts"

/**
 * How a list is written. `networks`: an address or a range first on each line. `spamhaus`: a JSON object on each line.
 * `tor`: an address after the word `ExitAddress`.
 */
export type BlocklistFormat = "networks" | "spamhaus" | "tor"

/** A published list of addresses that the service holds a copy of (specification section 2.9). */
export interface Blocklist {
  readonly id: string
  readonly label: string
  readonly url: string
  readonly format: BlocklistFormat
  /** How often it is downloaded. */
  readonly interval: Duration.Duration
  /** How long its publisher wants to be left alone between downloads. */
  readonly minimum: Duration.Duration
  /** Null: the list is a signal of a check only, and no part of a survey. */
  readonly claim: Claim | null
  /** What an address on it is: a signal of a check, which never moves the verdict. Null: nothing of that kind. */
  readonly signal: keyof ReportedSignals | null
  /** Whether nothing on it is news and no fault. */
  readonly mayBeEmpty: boolean
  readonly attribution: string
  /** What its publisher allows; for the operator. */
  readonly licence: string
}
