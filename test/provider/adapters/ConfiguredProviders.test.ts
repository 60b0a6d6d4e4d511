import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import * as ConfiguredProviders from "../../../src/provider/adapters/ConfiguredProviders.ts"
import { CallCounts } from "../../../src/provider/CallCounts.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import { AskedPrices } from "../../../src/provider/vendors/AskedPrices.ts"
import { VendorPurchases } from "../../../src/provider/vendors/VendorPurchases.ts"
import { VendorPurchasesRepo } from "../../../src/provider/vendors/VendorPurchasesRepo.ts"

const gateway = Layer.mock(GatewayProxies)({
  host: "127.0.0.1",
  offers: Effect.succeed([]),
  knownStock: () => Infinity
})

const vendors = Layer.mergeAll(
  CallCounts.layer,
  Layer.mock(AskedPrices)({}),
  Layer.provide(VendorPurchases.layerNoDeps, Layer.mock(VendorPurchasesRepo)({})),
  NodeHttpClient.layerNodeHttp
)

const namesWith = (env: Record<string, string>) =>
  Effect.map(Providers, ({ all }) => all.map(({ name }) => name)).pipe(
    Effect.provide(
      ConfiguredProviders.layerNoDeps.pipe(
        Layer.provide([gateway, vendors]),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
      )
    )
  )

describe("PROVIDERS", () => {
  it.effect("enables the embedded gateway by default", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesWith({}), ["gateway"])
      assert.deepStrictEqual(yield* namesWith({ PROVIDERS: "" }), ["gateway"])
      assert.deepStrictEqual(yield* namesWith({ PROVIDERS: " gateway ,gateway," }), ["gateway"])
    })
  )

  for (const list of ["gatway", "gateway,upstream", ",", "toString"])
    it.effect(`"${list}" stops the start with a line that names the variable and the known providers`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(namesWith({ PROVIDERS: list }))
        const [line = ""] = error.message.split("\n")
        assert.include(line, "PROVIDERS")
        assert.include(line, "(gateway, iproyal, proxy-seller)")
      })
    )

  it.effect("enables each named vendor that has its key", () =>
    Effect.gen(function* () {
      const keys = { IPROYAL_API_TOKEN: "token", PROXY_SELLER_API_KEY: "key" }
      assert.deepStrictEqual(yield* namesWith({ PROVIDERS: "proxy-seller,iproyal", ...keys }), [
        "proxy-seller",
        "iproyal"
      ])
    })
  )

  for (const [list, variable] of [
    ["gateway,proxy-seller", "PROXY_SELLER_API_KEY"],
    ["iproyal", "IPROYAL_API_TOKEN"]
  ] as const)
    it.effect(`"${list}" without ${variable} stops the start with a line that names it`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(namesWith({ PROVIDERS: list }))
        assert.include(error.message, `${variable} is missing: PROVIDERS names ${list.split(",").at(-1)}`)
      })
    )
})
