import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "../../../src/ip-check/vendors/GreyNoise.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const answer = (change: object = {}) => ({
  ip,
  noise: true,
  riot: false,
  classification: "malicious",
  name: "unknown",
  link: `https://viz.greynoise.io/ip/${ip}`,
  last_seen: "2026-11-20",
  message: "Success",
  ...change
})

layer(outside)("GreyNoise", (it) => {
  it.effect("is asked with the key in a header", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, `/v3/community/${ip}`)
      assert.strictEqual(asked[0]?.headers["key"], key)
    })
  )

  it.effect("reads an address that attacks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "high_risk",
        risk: "malicious",
        signals: { known_abuser: true }
      })
    })
  )

  it.effect("reads a scanning address as suspicious unless it is known to be harmless", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ classification: "unknown" }, "suspicious"],
        [{ classification: "a word of tomorrow" }, "suspicious"],
        [{ classification: "suspicious", noise: false }, "suspicious"],
        [{ classification: "benign" }, "clean"],
        [{ classification: "benign", noise: false, riot: true }, "clean"],
        [{ classification: "unknown", riot: true }, "clean"],
        [{ classification: "unknown", noise: false }, "clean"]
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

  it.effect("reads its 404 for an unseen address as clean, and no other 404", () =>
    Effect.gen(function* () {
      const message = "IP not observed scanning the internet or contained in RIOT data set."
      assert.deepStrictEqual(yield* opinionOn(make, { ip, noise: false, riot: false, message }, 404), {
        band: "clean",
        risk: "not observed",
        signals: {}
      })
      const elsewhere = yield* vendorThat(make, { status: 404, body: { message: "no Route matched" } })
      assert.strictEqual((yield* Effect.flip(elsewhere.ask)).reason, "HTTP 404: no Route matched")
    })
  )

  it.effect("knows no IPv6 addresses", () =>
    Effect.gen(function* () {
      const { vendor } = yield* vendorThat(make, { body: answer() })
      assert.isFalse(vendor.ipv6)
    })
  )
})
