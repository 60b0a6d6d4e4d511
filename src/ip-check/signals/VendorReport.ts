import { Schema } from "effect"
import type { ReportedSignals } from "./IpSignals.ts"

export const Band = Schema.Literals(["clean", "suspicious", "high_risk"])
export type Band = typeof Band.Type

const source = {
  vendor: Schema.String.annotate({ examples: ["abuseipdb"] }),
  label: Schema.String.annotate({ examples: ["AbuseIPDB"] }),
  score_metric: Schema.String.annotate({
    description: "The meaning of `score`, in the vendor's words",
    examples: ["abuse confidence score"]
  }),
  risk_metric: Schema.String.annotate({
    description: "The meaning of `risk`, in the vendor's words",
    examples: ["reports in 30 days"]
  }),
  score_derived: Schema.Boolean.annotate({
    description: "True when the vendor publishes no number: `score` is the midpoint of the band"
  })
}

/** The row of a vendor in a check. An unavailable vendor has no band, score or risk. */
export const VendorRow = Schema.Union([
  Schema.Struct({
    ...source,
    status: Schema.Literal("ok"),
    band: Band,
    score: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({ examples: [12] }),
    risk: Schema.String.annotate({ examples: ["1"] })
  }),
  Schema.Struct({ ...source, status: Schema.Literal("unavailable") })
])
export type VendorRow = typeof VendorRow.Type

/** The outcome of asking a vendor. */
export interface VendorReport {
  readonly row: VendorRow
  /** The reported signals; empty when the vendor is unavailable. */
  readonly signals: Partial<ReportedSignals>
  /** The raw answer, for the record. Null: the vendor did not answer. */
  readonly raw: { readonly status_code: number; readonly body: string } | null
}
