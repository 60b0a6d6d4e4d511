import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Struct } from "effect"
import * as Scamalytics from "../../../src/ip-check/vendors/Scamalytics.ts"
import type { VendorSettings } from "../../../src/ip-check/vendors/VendorSettings.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const make = (settings: VendorSettings) => Scamalytics.make(Redacted.make("acct-9910"), settings)

const answer = (change: object = {}, sources: object = {}) => ({
  scamalytics: {
    status: "ok",
    mode: "live",
    ip,
    scamalytics_score: 15,
    scamalytics_risk: "low",
    scamalytics_isp_score: 13,
    scamalytics_isp_risk: "low",
    scamalytics_isp: "PREMIUM FIELD - upgrade to view",
    scamalytics_proxy: { is_datacenter: false, is_vpn: false, is_apple_icloud_private_relay: false },
    is_blacklisted_external: false,
    ...change
  },
  external_datasources: {
    ip2proxy: { proxy_type: "PREMIUM FIELD - upgrade to view" },
    x4bnet: { is_tor: false },
    ...sources
  },
  credits: { remaining: 2431, used: 2 }
})

const of = (scamalytics_risk: string, is_blacklisted_external: unknown) =>
  answer({ scamalytics_risk, is_blacklisted_external })

const tor = (body: object) => Effect.map(opinionOn(make, body), ({ signals }) => signals.tor)

layer(outside)("Scamalytics", (it) => {
  it.effect("is asked with the name of the account", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, "/v3/acct-9910/")
      assert.deepStrictEqual(Object.fromEntries(asked[0]?.query ?? []), { key, ip })
    })
  )

  it.effect("reads an address of a provider with a good reputation", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "clean",
        risk: "low",
        score: 15,
        signals: { tor: false, vpn: false, proxy_detected: false, datacenter: false, known_abuser: false }
      })
    })
  )

  it.effect("reads a high score as high risk only when external lists contain the address", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [object, string]> = [
        [of("low", true), "clean"],
        [of("medium", true), "suspicious"],
        [of("high", false), "suspicious"],
        [of("very high", "PREMIUM FIELD - upgrade to view"), "suspicious"],
        [of("high", true), "high_risk"],
        [of("very high", true), "high_risk"]
      ]
      assert.deepStrictEqual(
        yield* bandsOf(
          make,
          cases.map(([body]) => body)
        ),
        cases.map(([, band]) => band)
      )
    })
  )

  it.effect("reads a Tor exit from any of its sources", () =>
    Effect.gen(function* () {
      const inside = { external_datasources: { ip2proxy: { proxy_type: "TOR" } } }
      const without = Struct.omit(answer(inside), ["external_datasources"])
      assert.isTrue(yield* tor(answer({}, { x4bnet: { is_tor: true } })))
      assert.isTrue(yield* tor(answer({}, { ip2proxy: { proxy_type: "TOR" } })))
      assert.isTrue(yield* tor(without))
      assert.isFalse(yield* tor({ ...without, scamalytics: { ...answer().scamalytics, external_datasources: [] } }))
    })
  )

  it.effect("refuses an error in an answer of 200, and a page of 404", () =>
    Effect.gen(function* () {
      const body = { scamalytics: { status: "error", error: "insufficient credits", external_datasources: [] } }
      const { ask } = yield* vendorThat(make, { body })
      assert.strictEqual((yield* Effect.flip(ask)).reason, "HTTP 200: insufficient credits")
      const scored = yield* vendorThat(make, { body: answer({ status: "error" }) })
      yield* Effect.flip(scored.ask)
      const rejected = yield* vendorThat(make, { status: 404, body: "<html>Not Found</html>" })
      yield* Effect.flip(rejected.ask)
    })
  )
})
