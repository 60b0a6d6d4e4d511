import { Schema } from "effect"
import type { IpSignals, ReportedSignals } from "./IpSignals.ts"
import type { HeldListing } from "./Listing.ts"
import type { VendorReport } from "./VendorReport.ts"

export const Verdict = Schema.Literals(["clean", "suspicious", "risky", "blacklisted"])
export type Verdict = typeof Verdict.Type

/** The judgement of a check. */
export interface Judgement {
  readonly verdict: Verdict
  /** 0 to 100: the highest score of all sources. A blocklist that contains the address counts as 100. */
  readonly risk_score: number
  readonly signals: IpSignals
  /** True when a vendor did not answer, or a list is not loaded. */
  readonly partial: boolean
}

/** The signals that make an address suspicious, in any band of the vendor. */
const suspicious = ["tor", "vpn", "recent_abuse"] as const

/**
 * Judges an address by the fixed rule (docs/contract.md, "IP reputation checks"). A missing source does not count, and
 * never counts as clean.
 */
export const judge = (reports: ReadonlyArray<VendorReport>, listings: ReadonlyArray<HeldListing>): Judgement => {
  const answered = reports.filter(({ row }) => row.status === "ok")
  const listed = listings.filter((listing) => listing.listed)
  const blocklists = listed.filter(({ claim }) => claim === "blocklist").map(({ source }) => source)
  const reported = (signal: keyof ReportedSignals) => answered.some(({ signals }) => signals[signal] === true)
  const known = (signal: keyof ReportedSignals) => reported(signal) || listed.some((one) => one.signal === signal)
  const hasBand = (band: string) => answered.some(({ row }) => row.status === "ok" && row.band === band)
  const scores = answered.map(({ row }) => (row.status === "ok" ? row.score : 0))

  const verdict = (): Verdict => {
    if (blocklists.length > 0) return "blacklisted"
    if (hasBand("high_risk")) return "risky"
    return hasBand("suspicious") || suspicious.some(reported) ? "suspicious" : "clean"
  }
  return {
    verdict: verdict(),
    risk_score: Math.max(0, ...scores, ...blocklists.map(() => 100)),
    signals: {
      tor: known("tor"),
      vpn: known("vpn"),
      proxy_detected: known("proxy_detected"),
      datacenter: known("datacenter"),
      recent_abuse: known("recent_abuse"),
      known_abuser: known("known_abuser"),
      blocklists
    },
    partial: answered.length < reports.length || listings.some(({ synced_at }) => synced_at === null)
  }
}
