import { Schema } from "effect"
import type { ReportedSignals } from "./IpSignals.ts"

export const Band = Schema.Literals(["clean", "suspicious", "high_risk"])
export type Band = typeof Band.Type

const source = {
  vendor: Schema.String.annotate({ examples: ["abuseipdb"] }),
  label: Schema.String.annotate({ examples: ["AbuseIPDB"] }),
  score_metric: Schema.String.annotate({
    description: "What `score` is, in the vendor's words",
    examples: ["abuse confidence score"]
  }),
  risk_metric: Schema.String.annotate({
    description: "What `risk` is, in the vendor's words",
    examples: ["reports in 30 days"]
  }),
  score_derived: Schema.Boolean.annotate({
    description: "The vendor published no number: `score` is the band's midpoint"
  })
}

/** A source's row in a check (specification section 2.8). One that could not be reached says nothing. */
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

/** What came of asking a vendor. */
export interface VendorReport {
  readonly row: VendorRow
  /** What it said of the address; empty when unavailable. */
  readonly signals: Partial<ReportedSignals>
  /** The answer as it came, for the record; null when there was none. */
  readonly raw: { readonly status_code: number; readonly body: string } | null
}
