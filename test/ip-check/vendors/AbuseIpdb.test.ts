import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { make } from "../../../src/ip-check/vendors/AbuseIpdb.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const answer = (change: object = {}) => ({
  data: {
    ipAddress: ip,
    isPublic: true,
    ipVersion: 4,
    isWhitelisted: false,
    abuseConfidenceScore: 100,
    countryCode: "DE",
    usageType: "Data Center/Web Hosting/Transit",
    isp: "Network for Tor-Exit traffic.",
    domain: "for-privacy.net",
    hostnames: ["tor-exit-1.for-privacy.net"],
    isTor: true,
    totalReports: 148,
    numDistinctUsers: 61,
    lastReportedAt: "2026-11-20T12:41:20+00:00",
    ...change
  }
})

const recent = (change: object) => Effect.map(opinionOn(make, answer(change)), ({ signals }) => signals.recent_abuse)

layer(outside)("AbuseIPDB", (it) => {
  it.effect("is asked for the reports of 30 days, with the key in a header", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, "/api/v2/check")
      assert.strictEqual(String(asked[0]?.query), `ipAddress=${ip}&maxAgeInDays=30`)
      assert.strictEqual(asked[0]?.headers["key"], key)
    })
  )

  it.effect("reads an address with many reports", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T00:00:00Z").epochMilliseconds)
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "high_risk",
        risk: "148 reports",
        score: 100,
        signals: { tor: true, datacenter: true, recent_abuse: true, known_abuser: true }
      })
    })
  )

  it.effect("derives the band from the confidence: 25 is suspicious, 75 is high risk", () =>
    Effect.gen(function* () {
      const bodies = [0, 24, 25, 74, 75].map((abuseConfidenceScore) => answer({ abuseConfidenceScore }))
      const bands = ["clean", "clean", "suspicious", "suspicious", "high_risk"]
      assert.deepStrictEqual(yield* bandsOf(make, bodies), bands)
    })
  )

  it.effect("reads abuse as recent for seven days, and never at a confidence of 0", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-28T12:00:00Z").epochMilliseconds)
      assert.isTrue(yield* recent({ lastReportedAt: "2026-11-21T12:00:01+00:00" }))
      assert.isFalse(yield* recent({ lastReportedAt: "2026-11-21T11:59:59+00:00" }))
      assert.isFalse(yield* recent({ lastReportedAt: "2026-11-28T11:00:00+00:00", abuseConfidenceScore: 0 }))
      assert.isFalse(yield* recent({ lastReportedAt: null }))
    })
  )

  it.effect("refuses an answer whose score is not a number", () =>
    Effect.gen(function* () {
      for (const abuseConfidenceScore of ["", " ", "0x10", "1e1", "-1", "101", null, true, [], "none"])
        assert.isDefined((yield* Effect.flip(opinionOn(make, { data: { abuseConfidenceScore } }))).reason)
      assert.strictEqual((yield* opinionOn(make, { data: { abuseConfidenceScore: "99.5" } })).score, 99.5)
    })
  )

  it.effect("reads an answer with only the score", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, { data: { abuseConfidenceScore: 1, totalReports: 1 } }), {
        band: "clean",
        risk: "1 report",
        score: 1,
        signals: { tor: false, datacenter: false, recent_abuse: false, known_abuser: false }
      })
    })
  )
})
