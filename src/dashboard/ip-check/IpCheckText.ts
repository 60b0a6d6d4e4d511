import type { Claim } from "../../ip-check/signals/Listing.ts"
import type { ReportedSignals } from "../../ip-check/signals/IpSignals.ts"
import type { Band } from "../../ip-check/signals/VendorReport.ts"
import type { Verdict } from "../../ip-check/signals/Verdict.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"

interface Judged {
  readonly name: Phrase
  /** The class of its mark. */
  readonly mark: string
}

/** The verdicts, each with a sentence. */
export const verdictText = {
  clean: { name: text("ip_check.clean"), about: text("ip_check.about_clean"), mark: "mark good" },
  suspicious: { name: text("ip_check.suspicious"), about: text("ip_check.about_suspicious"), mark: "mark unknown" },
  risky: { name: text("ip_check.risky"), about: text("ip_check.about_risky"), mark: "mark bad" },
  blacklisted: { name: text("ip_check.blacklisted"), about: text("ip_check.about_blacklisted"), mark: "mark bad" }
} satisfies Readonly<Record<Verdict, Judged & { about: Phrase }>>

const bandText = {
  clean: { name: text("ip_check.band_clean"), mark: "mark good" },
  suspicious: { name: text("ip_check.band_suspicious"), mark: "mark unknown" },
  high_risk: { name: text("ip_check.band_high_risk"), mark: "mark bad" }
} satisfies Readonly<Record<Band, Judged>>

export const claimText = {
  blocklist: text("ip_check.claim_blocklist"),
  recent_abuse: text("ip_check.claim_recent_abuse"),
  tor_exit: text("ip_check.claim_tor_exit")
} satisfies Readonly<Record<Claim, Phrase>>

export const signalText = {
  tor: text("ip_check.tor"),
  vpn: text("ip_check.vpn"),
  recent_abuse: text("ip_check.recent_abuse"),
  known_abuser: text("ip_check.known_abuser"),
  proxy_detected: text("ip_check.proxy_detected"),
  datacenter: text("ip_check.datacenter")
} satisfies Readonly<Record<keyof ReportedSignals, Phrase>>

const marked = ({ mark, name }: Judged): Html => html`<span class="${mark}">${name}</span>`

export const verdictMark = (verdict: Verdict): Html => marked(verdictText[verdict])

export const bandMark = (band: Band): Html => marked(bandText[band])
