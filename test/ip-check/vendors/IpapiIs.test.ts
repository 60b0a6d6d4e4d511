import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "../../../src/ip-check/vendors/IpapiIs.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const answer = (change: object = {}) => ({
  ip,
  rir: "RIPE",
  is_bogon: false,
  is_mobile: false,
  is_satellite: false,
  is_crawler: false,
  is_datacenter: true,
  is_tor: false,
  is_proxy: true,
  is_vpn: true,
  is_abuser: false,
  company: { name: "Example", abuser_score: "0.0183 (Elevated)", type: "hosting" },
  asn: { asn: 64500, abuser_score: "0.0009 (Low)" },
  elapsed_ms: 0.43,
  ...change
})

const company = (level: string) => ({ abuser_score: `0.05 (${level})` })

layer(outside)("ipapi.is", (it) => {
  it.effect("is asked with the address and the key", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.deepStrictEqual(Object.fromEntries(asked[0]?.query ?? []), { q: ip, key })
    })
  )

  it.effect("publishes no score of an address", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "clean",
        risk: "elevated",
        signals: { tor: false, vpn: true, proxy_detected: true, datacenter: true, known_abuser: false }
      })
    })
  )

  it.effect("reads an abuser or a Tor exit as suspicious, and as high risk in an abusive network", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ company: company("Very High") }, "clean"],
        [{ is_abuser: true }, "suspicious"],
        [{ is_tor: true }, "suspicious"],
        [{ is_abuser: true, company: company("High") }, "high_risk"],
        [{ is_tor: true, company: company("Very High") }, "high_risk"],
        [{ is_abuser: true, company: null, asn: company("High") }, "high_risk"],
        [{ is_abuser: true, company: null, asn: null }, "suspicious"],
        [{ is_abuser: true, company: company("Unheard Of") }, "suspicious"]
      ]
      assert.deepStrictEqual(
        yield* bandsOf(
          make,
          cases.map(([change]) => answer(change))
        ),
        cases.map(([, band]) => band)
      )
    })
  )
})
