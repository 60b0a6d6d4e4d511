import { type Effect, Schema } from "effect"
import type { ReportedSignals } from "../signals/IpSignals.ts"
import type { Band, VendorReport } from "../signals/VendorReport.ts"

/** What a vendor thinks of an address. */
export interface Opinion {
  readonly band: Band
  /** In one of the vendor's own words, never free text of its answer. */
  readonly risk: string
  /** 0 to 100; absent when the vendor publishes no number. */
  readonly score?: number
  readonly signals: Partial<ReportedSignals>
}

export interface Finding extends Opinion {
  readonly raw: VendorReport["raw"]
}

/** A vendor said nothing that can be used. The reason is for the log and holds no secret of ours. */
export class VendorUnavailable extends Schema.TaggedError<VendorUnavailable>()("VendorUnavailable", {
  reason: Schema.String,
  raw: Schema.NullOr(Schema.Struct({ status_code: Schema.Int, body: Schema.String })),
  /** It answered, and may be well: what is wrong may be the address, or our account with it. */
  isAnswer: Schema.optionalKey(Schema.Boolean),
  /** How long the vendor wants to be left alone. */
  pause: Schema.optionalKey(Schema.Duration)
}) {}

/** How many calls the operator's plan at a vendor allows, by the days and months of UTC; undefined for any number. */
export interface Quota {
  readonly per_day: number | undefined
  readonly per_month: number | undefined
}

/** A port to somebody who knows about addresses. Who calls it limits its time. */
export interface IpVendor {
  readonly id: string
  readonly label: string
  readonly score_metric: string
  readonly risk_metric: string
  /** Whether it knows IPv6 addresses; if not, it is not asked about them. */
  readonly ipv6: boolean
  readonly quota: Quota
  /** It belongs to the sandbox: what it says depends on nothing but the address, failures included. */
  readonly pretends?: true
  /** The address is in its canonical form. */
  readonly ask: (ip: string) => Effect.Effect<Finding, VendorUnavailable>
}
