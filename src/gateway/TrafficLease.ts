import { Schema } from "effect"

/** The lease that a report is answered with. */
export const TrafficLease = Schema.Struct({
  proxy_id: Schema.String,
  cycle: Schema.Int,
  /** The revision of the proxy's row. When the meter has another revision, the gateway must read the row. */
  revision: Schema.Int,
  /** The bytes that may pass before the next report. */
  leased_bytes: Schema.Finite,
  /** True when nothing is left beyond this lease, here and at all other gateways. */
  last: Schema.Boolean
})
export type TrafficLease = typeof TrafficLease.Type
