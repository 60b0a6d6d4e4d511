import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { make } from "../../../src/ip-check/vendors/IpQualityScore.ts"
import { bandsOf, ip, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const answer = (change: object = {}) => ({
  success: true,
  message: "Success",
  fraud_score: 100,
  country_code: "US",
  ISP: "Example Hosting",
  ASN: 64500,
  is_crawler: false,
  mobile: false,
  proxy: true,
  vpn: true,
  tor: false,
  active_vpn: false,
  active_tor: false,
  recent_abuse: false,
  frequent_abuser: "Enterprise plan required.",
  bot_status: false,
  connection_type: "Data Center",
  abuse_velocity: "none",
  request_id: "4DTVkUl1Yq",
  ...change
})

const vpn = (body: object) => Effect.map(opinionOn(make, body), ({ signals }) => signals.vpn)

layer(outside)("IPQualityScore", (it) => {
  it.effect("is asked with the escaped key in the path", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, `/api/json/ip/KEY%2Fof%2Btests/${ip}`)
      assert.strictEqual(String(asked[0]?.query), "strictness=1&allow_public_access_points=true")
    })
  )

  it.effect("tells the calls that are left, by its usage API", () =>
    Effect.gen(function* () {
      const { asked, vendor } = yield* vendorThat(make, { body: { success: true, credits: 5000, usage: 1200.5 } })
      assert.deepStrictEqual(yield* vendor.credits!, { left: 3799.5, of: 5000 })
      assert.strictEqual(asked[0]?.path, "/api/json/account/KEY%2Fof%2Btests")
    })
  )

  it.effect("reads a proxy without abuse as clean, even with a score of 100", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "clean",
        risk: "none",
        score: 100,
        signals: {
          tor: false,
          vpn: false,
          proxy_detected: true,
          datacenter: true,
          recent_abuse: false,
          known_abuser: false
        }
      })
    })
  )

  it.effect("derives the band from the abuse flags; with a high score they are a high risk", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ fraud_score: 84, recent_abuse: true }, "suspicious"],
        [{ fraud_score: 85, recent_abuse: true }, "high_risk"],
        [{ fraud_score: 90, frequent_abuser: true }, "high_risk"],
        [{ fraud_score: 90, abuse_velocity: "high" }, "high_risk"],
        [{ fraud_score: 90, abuse_velocity: "medium" }, "suspicious"],
        [{ fraud_score: 90, abuse_velocity: "low" }, "clean"],
        [{ fraud_score: 90, bot_status: true }, "suspicious"]
      ]
      const bodies = cases.map(([change]) => answer(change))
      assert.deepStrictEqual(
        yield* bandsOf(make, bodies),
        cases.map(([, band]) => band)
      )
    })
  )

  it.effect("reads an active VPN as a VPN, and a possible VPN only without the flag of active ones", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* vpn(answer({ vpn: true, active_vpn: false })))
      assert.isTrue(yield* vpn(answer({ vpn: true, active_vpn: true })))
      assert.isTrue(yield* vpn(Struct.omit(answer({ vpn: true }), ["active_vpn"])))
    })
  )

  it.effect("refuses an unsuccessful answer with its reason", () =>
    Effect.gen(function* () {
      const message = "You have exceeded your request quota of 35 per day."
      const { ask } = yield* vendorThat(make, { body: { success: false, message, fraud_score: 0 } })
      assert.strictEqual((yield* Effect.flip(ask)).reason, `HTTP 200: ${message}`)
    })
  )
})
