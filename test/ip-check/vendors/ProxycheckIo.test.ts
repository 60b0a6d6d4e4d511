import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "../../../src/ip-check/vendors/ProxycheckIo.ts"
import { bandsOf, ip, key, opinionOn, outside, vendorThat } from "./VendorTesting.ts"

const answer = (detections: object = {}, status = "ok") => ({
  status,
  [ip]: {
    network: { asn: "AS64500", provider: "Example", type: "Hosting" },
    location: { country_code: "DE" },
    detections: {
      proxy: true,
      vpn: false,
      compromised: false,
      scraper: false,
      tor: true,
      hosting: true,
      anonymous: true,
      risk: 100,
      confidence: 100,
      ...detections
    },
    operator: null
  },
  query_time: 3
})

layer(outside)("proxycheck.io", (it) => {
  it.effect("is asked without a tag, and for a fixed version of the answer format", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* vendorThat(make, { body: answer() })
      yield* ask
      assert.strictEqual(asked[0]?.path, `/v3/${ip}`)
      assert.deepStrictEqual(Object.fromEntries(asked[0]?.query ?? []), { key, tag: "0", ver: "24-June-2026" })
    })
  )

  it.effect("reads a Tor exit", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* opinionOn(make, answer()), {
        band: "high_risk",
        risk: "very dangerous",
        score: 100,
        signals: { tor: true, vpn: false, proxy_detected: true, datacenter: true, known_abuser: false }
      })
    })
  )

  it.effect("derives the band from the vendor's thirds of the risk", () =>
    Effect.gen(function* () {
      const bodies = [0, 33, 34, 66, 67].map((risk) => answer({ risk }))
      const bands = ["clean", "clean", "suspicious", "suspicious", "high_risk"]
      assert.deepStrictEqual(yield* bandsOf(make, bodies), bands)
    })
  )

  it.effect("reads an answer with a warning", () =>
    Effect.gen(function* () {
      const opinion = yield* opinionOn(make, answer({ risk: 0 }, "warning"))
      assert.strictEqual(opinion.band, "clean")
    })
  )

  it.effect("finds an uncompressed IPv6 address", () =>
    Effect.gen(function* () {
      const body = { status: "ok", "2001:4860:4860:0:0:0:0:8888": { detections: { risk: 40 } } }
      const { vendor } = yield* vendorThat(make, { body })
      assert.strictEqual((yield* vendor.ask("2001:4860:4860::8888")).score, 40)
    })
  )

  for (const [name, body] of [
    ["another address", { status: "ok", "192.0.2.1": { detections: { risk: 0 } } }],
    ["no address", { status: "ok" }],
    ["a refusal", { status: "denied", message: "Your access to the API has been blocked" }],
    ["a refusal with an answer", answer({ risk: 0 }, "error")],
    ["an address without a risk", answer({ risk: null })]
  ] as const)
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function* () {
        const { ask } = yield* vendorThat(make, { body })
        assert.strictEqual((yield* Effect.flip(ask))._tag, "VendorUnavailable")
      })
    )
})
