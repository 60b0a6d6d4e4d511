import { Schema } from "effect"

/** The signals of an address. `proxy_detected` and `datacenter` never change the verdict (docs/contract.md, "IP reputation checks"). */
export const IpSignals = Schema.Struct({
  tor: Schema.Boolean,
  vpn: Schema.Boolean,
  proxy_detected: Schema.Boolean,
  datacenter: Schema.Boolean,
  recent_abuse: Schema.Boolean,
  known_abuser: Schema.Boolean,
  blocklists: Schema.Array(Schema.String).annotate({
    description: "The blocklists that contain the address",
    examples: [[]]
  })
})
export type IpSignals = typeof IpSignals.Type

/** The signals that one vendor reports. */
export type ReportedSignals = Omit<IpSignals, "blocklists">
