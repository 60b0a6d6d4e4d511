import { Schema } from "effect"
import type { ReportedSignals } from "./IpSignals.ts"

/**
 * The claim of a published list about its addresses. `blocklist`: do not route traffic of the address; only this claim
 * decides a verdict. `recent_abuse`: honeypots reported the address in the last days. `tor_exit`: the address is a Tor exit.
 */
export const Claim = Schema.Literals(["blocklist", "recent_abuse", "tor_exit"])
export type Claim = typeof Claim.Type

/** The result of comparing an address with one held list. */
export const Listing = Schema.Struct({
  source: Schema.String.annotate({ examples: ["spamhaus_drop_v4"] }),
  label: Schema.String.annotate({ examples: ["Spamhaus DROP (IPv4)"] }),
  claim: Claim,
  listed: Schema.Boolean.annotate({
    description:
      "True when the list contains the address. False tells nothing when `synced_at` is null, because the list is not loaded",
    examples: [false]
  }),
  network: Schema.NullOr(Schema.String).annotate({
    description: "The matching network; null when the list does not contain the address",
    examples: [null]
  }),
  attribution: Schema.String.annotate({
    examples: ["The Spamhaus Project, Don't Route Or Peer list (https://www.spamhaus.org/drop/)"]
  }),
  synced_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "The time of the last successful sync with the publisher. Null: the list is not loaded"
  })
})
export type Listing = typeof Listing.Type

/**
 * A listing with its signal. The signal is internal: no answer contains it. A list without a claim contributes only its
 * signal.
 */
export interface HeldListing extends Omit<Listing, "claim"> {
  readonly claim: Claim | null
  readonly signal: keyof ReportedSignals | null
}

/** True when the list makes a claim. Answers contain only such listings. */
export const hasClaim = (listing: HeldListing): listing is HeldListing & Listing => listing.claim !== null
