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
  claim: Schema.NullOr(Claim).annotate({ description: "Null: for information only" }),
  listed: Schema.Boolean.annotate({ examples: [false] }),
  network: Schema.NullOr(Schema.String).annotate({ description: "The matching range", examples: [null] }),
  attribution: Schema.String.annotate({
    examples: ["The Spamhaus Project, Don't Route Or Peer list (https://www.spamhaus.org/drop/)"]
  }),
  synced_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "Null: has never loaded" })
})
export type Listing = typeof Listing.Type

/** A listing with what it is a signal of, which is the service's own knowledge and not part of an answer. */
export interface HeldListing extends Listing {
  readonly signal: keyof ReportedSignals | null
}
