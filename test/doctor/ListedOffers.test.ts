import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { ListedOffers } from "../../src/doctor/ListedOffers.ts"
import * as IpRoyalProvider from "../../src/provider/adapters/IpRoyalProvider.ts"
import * as ProxySellerProvider from "../../src/provider/adapters/ProxySellerProvider.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import * as IpRoyalServer from "../provider/adapters/IpRoyalServer.ts"
import * as ProxySellerServer from "../provider/adapters/ProxySellerServer.ts"
import * as Testing from "../provider/vendors/VendorTesting.ts"

const listingOf = (provider: ProxyProvider) =>
  ListedOffers.use(({ of }) => Effect.andThen(of(provider.name), of(provider.name))).pipe(
    Effect.provide(Layer.fresh(Layer.provide(ListedOffers.layer, Providers.layerOf(provider))))
  )

const wrong = { api_token: Redacted.make("wrong"), markup_percent: 0 }

layer(Testing.layer, { excludeTestServices: true })("The offers of a vendor", (it) => {
  it.effect("are read once", () =>
    Effect.gen(function* () {
      const { api_url, asked } = yield* IpRoyalServer.start()
      const settings = { api_url, api_token: Redacted.make("t0ken"), markup_percent: 0 }
      const { is_key_refused, offers } = yield* listingOf(yield* IpRoyalProvider.makeWith(settings))
      assert.isFalse(is_key_refused)
      assert.isAbove(offers.length, 0)
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("show a key that the vendor refuses", () =>
    Effect.gen(function* () {
      const { api_url } = yield* IpRoyalServer.start()
      const iproyal = yield* IpRoyalProvider.makeWith({ ...wrong, api_url })
      assert.deepStrictEqual(yield* listingOf(iproyal), { is_key_refused: true, offers: [] })
      const seller = yield* ProxySellerServer.start()
      const proxySeller = yield* ProxySellerProvider.makeWith({
        api_url: seller.api_url,
        api_key: Redacted.make("wrong"),
        purpose: "other",
        markup_percent: 0
      })
      assert.deepStrictEqual(yield* listingOf(proxySeller), { is_key_refused: true, offers: [] })
    })
  )

  it.effect("are unknown when the vendor does not answer", () =>
    Effect.gen(function* () {
      const provider = yield* IpRoyalProvider.makeWith({ ...wrong, api_url: "http://127.0.0.1:1" })
      assert.match((yield* Effect.flip(listingOf(provider))).reason, /^iproyal: no answer/)
    })
  )
})
