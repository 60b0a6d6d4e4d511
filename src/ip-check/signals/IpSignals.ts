import { Schema } from "effect"

/** What is known of an address; `proxy_detected` and `datacenter` never move the verdict (specification section 2.8). */
export const IpSignals = Schema.Struct({
  tor: Schema.Boolean,
  vpn: Schema.Boolean,
  proxy_detected: Schema.Boolean,
  datacenter: Schema.Boolean,
  recent_abuse: Schema.Boolean,
  known_abuser: Schema.Boolean,
  blocklists: Schema.Array(Schema.String).annotate({
    description: "The blocklists that have the address",
    examples: [[]]
  })
})
export type IpSignals = typeof IpSignals.Type

/** What one vendor reports of an address. */
export type ReportedSignals = Omit<IpSignals, "blocklists">
