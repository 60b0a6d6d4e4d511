import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import type { Claim, HeldListing } from "../../../src/ip-check/signals/Listing.ts"
import type { Band, VendorReport } from "../../../src/ip-check/signals/VendorReport.ts"
import { type Judgement, judge } from "../../../src/ip-check/signals/Verdict.ts"

const source = { label: "A vendor", score_metric: "score", risk_metric: "risk", score_derived: false }

const said = (band: Band, score: number, signals: VendorReport["signals"] = {}): VendorReport => ({
  row: { ...source, vendor: "one", status: "ok", band, score, risk: "-" },
  signals,
  raw: null
})

const silent = (signals: VendorReport["signals"] = {}): VendorReport => ({
  row: { ...source, vendor: "two", status: "unavailable" },
  signals,
  raw: null
})

const list = (claim: Claim | null, listed: boolean, signal: HeldListing["signal"] = null): HeldListing => ({
  source: `list_${claim ?? "plain"}`,
  label: "A list",
  claim,
  signal,
  listed,
  network: listed ? "192.0.2.0/24" : null,
  attribution: "A publisher",
  synced_at: DateTime.makeUnsafe(0)
})

interface Case {
  readonly name: string
  readonly reports?: ReadonlyArray<VendorReport>
  readonly listings?: ReadonlyArray<HeldListing>
  readonly verdict: Judgement["verdict"]
  readonly risk_score: number
}

const cases: ReadonlyArray<Case> = [
  { name: "all bands clean", reports: [said("clean", 3), said("clean", 16)], verdict: "clean", risk_score: 16 },
  {
    name: "one band suspicious",
    reports: [said("clean", 3), said("suspicious", 50)],
    verdict: "suspicious",
    risk_score: 50
  },
  {
    name: "one band of high risk",
    reports: [said("suspicious", 60), said("high_risk", 55)],
    verdict: "risky",
    risk_score: 60
  },
  {
    name: "many clean ones do not outweigh a high risk",
    reports: [said("clean", 0), said("clean", 0), said("high_risk", 83)],
    verdict: "risky",
    risk_score: 83
  },
  { name: "a vendor sees Tor", reports: [said("clean", 0, { tor: true })], verdict: "suspicious", risk_score: 0 },
  { name: "a vendor sees a VPN", reports: [said("clean", 0, { vpn: true })], verdict: "suspicious", risk_score: 0 },
  {
    name: "a vendor sees recent abuse",
    reports: [said("clean", 0, { recent_abuse: true })],
    verdict: "suspicious",
    risk_score: 0
  },
  {
    name: "a proxy is nothing bad",
    reports: [said("clean", 100, { proxy_detected: true })],
    verdict: "clean",
    risk_score: 100
  },
  { name: "nor is a datacenter", reports: [said("clean", 0, { datacenter: true })], verdict: "clean", risk_score: 0 },
  {
    name: "nor a known abuser that the vendor still calls clean",
    reports: [said("clean", 9, { known_abuser: true })],
    verdict: "clean",
    risk_score: 9
  },
  {
    name: "a signal does not soften a high risk",
    reports: [said("high_risk", 90, { vpn: true })],
    verdict: "risky",
    risk_score: 90
  },
  {
    name: "a blocklist has it",
    reports: [said("clean", 0)],
    listings: [list("blocklist", true)],
    verdict: "blacklisted",
    risk_score: 100
  },
  {
    name: "a blocklist goes before a high risk",
    reports: [said("high_risk", 99)],
    listings: [list("blocklist", true)],
    verdict: "blacklisted",
    risk_score: 100
  },
  {
    name: "a blocklist decides without any vendor",
    reports: [silent()],
    listings: [list("blocklist", true)],
    verdict: "blacklisted",
    risk_score: 100
  },
  {
    name: "a blocklist does not have it",
    reports: [said("clean", 4)],
    listings: [list("blocklist", false)],
    verdict: "clean",
    risk_score: 4
  },
  {
    name: "a list of honeypot reports has it",
    reports: [said("clean", 4)],
    listings: [list("recent_abuse", true, "recent_abuse")],
    verdict: "clean",
    risk_score: 4
  },
  {
    name: "a list of Tor exits has it",
    reports: [said("clean", 4)],
    listings: [list("tor_exit", true, "tor")],
    verdict: "clean",
    risk_score: 4
  },
  {
    name: "a list of VPNs that claims nothing has it",
    reports: [said("clean", 4)],
    listings: [list(null, true, "vpn")],
    verdict: "clean",
    risk_score: 4
  },
  {
    name: "who cannot be reached counts for nothing",
    reports: [said("suspicious", 40), silent({ tor: true })],
    verdict: "suspicious",
    risk_score: 40
  },
  {
    name: "not even with a signal",
    reports: [said("clean", 4), silent({ tor: true })],
    verdict: "clean",
    risk_score: 4
  }
]

describe("The verdict", () => {
  for (const { name, listings = [], reports = [], risk_score, verdict } of cases)
    it(`${name}: ${verdict}, ${risk_score}`, () => {
      const judged = judge(reports, listings)
      assert.deepStrictEqual([judged.verdict, judged.risk_score], [verdict, risk_score])
      assert.strictEqual(
        judged.partial,
        reports.some(({ row }) => row.status === "unavailable")
      )
    })
})

describe("A list that is not loaded", () => {
  it("makes a check partial, and counts for nothing", () => {
    const judged = judge([said("clean", 4)], [list(null, false), { ...list("blocklist", false), synced_at: null }])
    assert.deepStrictEqual([judged.verdict, judged.partial], ["clean", true])
  })
})

const none = {
  tor: false,
  vpn: false,
  proxy_detected: false,
  datacenter: false,
  recent_abuse: false,
  known_abuser: false
}

describe("The signals", () => {
  it("come from any vendor that answered", () => {
    const reports = [said("clean", 0, { vpn: true, tor: false }), said("clean", 0, { tor: true, datacenter: true })]
    const expected = { ...none, vpn: true, tor: true, datacenter: true, blocklists: [] }
    assert.deepStrictEqual(judge(reports, []).signals, expected)
    assert.deepStrictEqual(judge([silent({ tor: true, vpn: true })], []).signals, { ...none, blocklists: [] })
  })

  it("come from lists too", () => {
    const listings = [
      list("blocklist", true),
      list("recent_abuse", true, "recent_abuse"),
      list("tor_exit", true, "tor"),
      list(null, true, "vpn")
    ]
    const expected = { ...none, recent_abuse: true, tor: true, vpn: true, blocklists: ["list_blocklist"] }
    assert.deepStrictEqual(judge([], listings).signals, expected)
    assert.deepStrictEqual(
      judge(
        [],
        listings.map((one) => ({ ...one, listed: false }))
      ).signals,
      { ...none, blocklists: [] }
    )
  })
})

const order = ["clean", "suspicious", "risky", "blacklisted"] as const
const Bands = Schema.Array(Schema.Literals(["clean", "suspicious", "high_risk"]))

const reportsOf = (bands: ReadonlyArray<Band>) => bands.map((band) => said(band, band.length))

it.prop("Another vendor never improves the verdict of an address", { bands: Bands, more: Bands }, ({ bands, more }) => {
  const before = judge(reportsOf(bands), [])
  const after = judge(reportsOf([...bands, ...more]), [])
  assert.isAtLeast(order.indexOf(after.verdict), order.indexOf(before.verdict))
  assert.isAtLeast(after.risk_score, before.risk_score)
})
