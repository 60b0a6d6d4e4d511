import { DateTime, Schema } from "effect"
import * as Money from "../platform/Money.ts"
import type { IpCheck } from "./IpCheck.ts"
import { IpSignals } from "./signals/IpSignals.ts"
import { VendorRow } from "./signals/VendorReport.ts"
import { Verdict } from "./signals/Verdict.ts"

const fields = {
  ip: Schema.String.annotate({ description: "The address in canonical form", examples: ["8.8.8.8"] }),
  verdict: Verdict,
  risk_score: Schema.Int.annotate({
    description: "0 to 100: the highest score of all sources. A blocklist that contains the address counts as 100",
    examples: [12]
  }),
  charge: Schema.Struct({
    amount: Schema.String.annotate({ description: "A decimal string", examples: ["0.05"] }),
    currency: Schema.Literal("USD"),
    free: Schema.Boolean.annotate({
      description: "True when the check cost nothing: it reused a recent result (`cached` is true) or used a free check"
    })
  }),
  signals: IpSignals,
  vendors: Schema.Array(VendorRow),
  partial: Schema.Boolean.annotate({
    description:
      "True when a source is missing: a vendor did not answer, or a blocklist is not loaded. The signals of a missing source are false and tell nothing"
  }),
  cached: Schema.Boolean.annotate({ description: "True when a recent result for the same address was reused" }),
  id: Schema.NullOr(Schema.String).annotate({
    description: "The id of the stored result; null for a reused result",
    examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
  })
}

/** The wire form of a check (docs/contract.md, "IP reputation checks"). */
export const IpCheckView = Schema.Struct(fields).annotate({ identifier: "IpCheck" })
export type IpCheckView = typeof IpCheckView.Type

/** The wire form of a check in the history, with its time. */
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

/** Converts a check for the account that made it. */
export const ipCheckView = (check: IpCheck): IpCheckView => ({
  ...found(check),
  charge: charged(check.amount),
  cached: false,
  id: check.id
})

/** Converts a check for a request that reuses it: without its id and price. */
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
