import { DateTime, Schema } from "effect"
import * as Money from "../platform/Money.ts"
import type { IpCheck } from "./IpCheck.ts"
import { IpSignals } from "./signals/IpSignals.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

const fields = {
  ip: Schema.String.annotate({ description: "In its canonical form", examples: ["8.8.8.8"] }),
  verdict: Verdict,
  risk_score: Schema.Int.annotate({
    description: "0 to 100: the highest score any source gave; a blocklist gives 100",
    examples: [12]
  }),
  charge: Schema.Struct({
    amount: Schema.String.annotate({ description: "A decimal string", examples: ["0.05"] }),
    currency: Schema.Literal("USD"),
    free: Schema.Boolean.annotate({
      description: "With `cached` a recent result was reused, else a free check was spent"
    })
  }),
  signals: IpSignals,
  vendors: Schema.Array(VendorRow),
  partial: Schema.Boolean.annotate({
    description:
      "True when a source could not be reached: a vendor did not answer, or a blocklist is not loaded (its signals are false then, and say nothing)"
  }),
  cached: Schema.Boolean.annotate({ description: "Whether a recent result for the same address was reused" }),
  id: Schema.NullOr(Schema.String).annotate({
    description: "Of the stored result; null for a cached answer",
    examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
  })
}

/** A check as it is answered (specification section 2.8). */
export const IpCheckView = Schema.Struct(fields).annotate({ identifier: "IpCheck" })
export type IpCheckView = typeof IpCheckView.Type

/** A check in the history: the same, and when it was made. */
export const ListedIpCheckView = Schema.Struct({ ...fields, created_at: Schema.String }).annotate({
  identifier: "ListedIpCheck"
})

const found = ({ ip, partial, risk_score, signals, vendors, verdict }: IpCheck) => ({
  ip,
  verdict,
  risk_score,
  signals,
  vendors,
  partial
})

const charged = (amount: bigint) => ({
  amount: Money.toDecimal("USD", amount),
  currency: "USD" as const,
  free: amount === 0n
})

/** To the account that made the check. */
export const ipCheckView = (check: IpCheck): IpCheckView => ({
  ...found(check),
  charge: charged(check.amount),
  cached: false,
  id: check.id
})

/** To whoever asks about the same address soon after. */
export const reusedIpCheckView = (check: IpCheck): IpCheckView => ({
  ...found(check),
  charge: charged(0n),
  cached: true,
  id: null
})

export const listedIpCheckView = (check: IpCheck): typeof ListedIpCheckView.Type => ({
  ...ipCheckView(check),
  created_at: DateTime.formatIso(check.created_at)
})
