import { Schema } from "effect"
import type { ReportedSignals } from "./IpSignals.ts"

/**
 * `blocklist`: its publisher says not to route the address, the only claim that decides a verdict. `recent_abuse`: a
 * honeypot report from the last couple of days. `tor_exit` describes what the address is.
 */
export const Claim = Schema.Literals(["blocklist", "recent_abuse", "tor_exit"])
export type Claim = typeof Claim.Type

/** Whether a locally held list has an address (specification section 2.9). */
export const Listing = Schema.Struct({
  source: Schema.String.annotate({ examples: ["spamhaus_drop_v4"] }),
  label: Schema.String.annotate({ examples: ["Spamhaus DROP (IPv4)"] }),
  claim: Claim,
  listed: Schema.Boolean.annotate({
    description: "False is an answer only while `synced_at` is not null: a list that is not loaded has no address",
    examples: [false]
  }),
  network: Schema.NullOr(Schema.String).annotate({ description: "The matching range", examples: [null] }),
  attribution: Schema.String.annotate({
    examples: ["The Spamhaus Project, Don't Route Or Peer list (https://www.spamhaus.org/drop/)"]
  }),
  synced_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "When its publisher last had what is held; null: not loaded, the list knows nothing of any address"
  })
})
export type Listing = typeof Listing.Type

/**
 * A listing with the signal that it stands for, which is the service's own knowledge and no part of an answer. A list
 * without a claim is a signal only.
 */
export interface HeldListing extends Omit<Listing, "claim"> {
  readonly claim: Claim | null
  readonly signal: keyof ReportedSignals | null
}

/** Says whether a listing is part of an answer. */
export const hasClaim = (listing: HeldListing): listing is HeldListing & Listing => listing.claim !== null
