import { Schema } from "effect"

/** The bytes that passed in one hour under a lease of one cycle. */
const HourOfTraffic = Schema.Struct({
  hour_seconds: Schema.Int,
  cycle: Schema.Int,
  bytes: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})

/** The report of a gateway about one proxy. */
export const TrafficReport = Schema.Struct({
  proxy_id: Schema.String.check(Schema.isUUID()),
  /** The cycle that `bytes` and `total` belong to. `hours` contains the bytes of every cycle. */
  cycle: Schema.Int,
  hours: Schema.Array(HourOfTraffic).check(Schema.isMaxLength(1_000)),
  bytes: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The bytes that passed under leases of this cycle since the process began its reports, with `bytes`. */
  total: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** False: the gateway returns the rest of its lease. */
  hold: Schema.Boolean
})
export type TrafficReport = typeof TrafficReport.Type
