import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "../../../src/ip-check/vendors/CrowdSec.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const scores = (total: number) => ({ aggressiveness: 2, threat: 2, trust: 1, anomaly: 2, total })

const answer = (change: object = {}) => ({
  ip,
  reputation: "malicious",
  ip_range_score: 5,
  background_noise_score: 10,
  as_name: "Example",
  location: { country: null, city: null },
  behaviors: [{ name: "ssh:bruteforce", label: "SSH Bruteforce" }],
  classifications: {
    false_positives: [],
    classifications: [{ name: "profile:many_services" }, { name: "proxy:tor", label: "TOR exit node" }]
  },
  scores: { overall: scores(5), last_day: scores(0), last_week: scores(2), last_month: scores(4) },
  references: [],
  ...change
})

layer(outside)("CrowdSec", (it) => {
  it.effect("is asked with the key in a header", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, `/v2/smoke/${ip}`)
      assert.strictEqual(asked[0]?.headers["x-api-key"], key)
    })
  )

  it.effect("reads an address that attacked within the last week", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "high_risk",
        risk: "malicious",
        score: 100,
        signals: { tor: true, vpn: false, proxy_detected: true, recent_abuse: true, known_abuser: true }
      })
    })
  )

  it.effect("derives the band from the overall score of 0 to 5", () =>
    Effect.gen(function* () {
      const bodies = [0, 1, 2, 3, 4, 5].map((total) => answer({ scores: { overall: scores(total) } }))
      const bands = ["clean", "clean", "suspicious", "suspicious", "high_risk", "high_risk"]
      assert.deepStrictEqual(yield* bandsOf(make, bodies), bands)
    })
  )

  it.effect("reads an answer with only the overall score", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, { ip, scores: { overall: { total: 1 } } }), {
        band: "clean",
        risk: "unknown",
        score: 20,
        signals: { tor: false, vpn: false, proxy_detected: false, recent_abuse: false, known_abuser: false }
      })
    })
  )

  it.effect("reads its 404 for an unseen address as clean, and no other 404", () =>
    Effect.gen(function* () {
      const opinion = yield* opinionOn(make, { message: "IP address information not found" }, 404)
      assert.deepStrictEqual(opinion, { band: "clean", risk: "not observed", signals: {} })
      const elsewhere = yield* vendorThat(make, { status: 404, body: { message: "Not Found" } })
      assert.strictEqual((yield* Effect.flip(elsewhere.ask)).reason, "HTTP 404: Not Found")
    })
  )
})
