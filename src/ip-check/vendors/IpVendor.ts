import { type Effect, Schema } from "effect"
import type { ReportedSignals } from "../signals/IpSignals.ts"
import type { Band, VendorReport } from "../signals/VendorReport.ts"

/** A vendor's opinion of an address. */
export interface Opinion {
  readonly band: Band
  /** One of the vendor's fixed terms, never free text of its answer. */
  readonly risk: string
  /** 0 to 100; absent when the vendor publishes no number. */
  readonly score?: number
  readonly signals: Partial<ReportedSignals>
}

/** An opinion with the raw answer. */
export interface Finding extends Opinion {
  readonly raw: VendorReport["raw"]
}

/** The vendor gave no usable answer. The reason is for the log and contains no secret of ours. */
export class VendorUnavailable extends Schema.TaggedError<VendorUnavailable>()("VendorUnavailable", {
  reason: Schema.String,
  raw: Schema.NullOr(Schema.Struct({ status_code: Schema.Int, body: Schema.String })),
  /** True when the vendor answered and may be healthy: the cause may be the address, or our account. */
  isAnswer: Schema.optionalKey(Schema.Boolean),
  /** The time for which the vendor wants no calls. */
  pause: Schema.optionalKey(Schema.Duration)
}) {}

/** The calls that the operator's plan allows per UTC day and month. Undefined: unlimited. */
export interface Quota {
  readonly per_day: number | undefined
  readonly per_month: number | undefined
}

/** The calls that the operator has paid for in the present period. */
interface Credits {
  readonly left: number
  readonly of: number
}

/** The port to a vendor of IP reputation. The caller limits the time of a call. */
export interface IpVendor {
  readonly id: string
  readonly label: string
  readonly score_metric: string
  readonly risk_metric: string
  /** True when the vendor knows IPv6 addresses. Otherwise it is never asked about them. */
  readonly ipv6: boolean
  readonly quota: Quota
  /** The vendor belongs to the sandbox: the address alone decides its answers and failures. */
  readonly isSandbox?: true
  /** Asks for the calls that are left. It is no call itself. Absent: the vendor does not tell. */
  readonly credits?: Effect.Effect<Credits, VendorUnavailable>
  /** Asks about an address in canonical form. */
  readonly ask: (ip: string) => Effect.Effect<Finding, VendorUnavailable>
}
