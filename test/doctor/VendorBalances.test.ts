import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Struct } from "effect"
import { VendorBalances } from "../../src/doctor/VendorBalances.ts"
import * as IpRoyalProvider from "../../src/provider/adapters/IpRoyalProvider.ts"
import * as ProxySellerProvider from "../../src/provider/adapters/ProxySellerProvider.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import * as IpRoyalServer from "../provider/adapters/IpRoyalServer.ts"
import * as ProxySellerServer from "../provider/adapters/ProxySellerServer.ts"
import * as Testing from "../provider/vendors/VendorTesting.ts"

const iproyalAt = (api_url: string, token = "t0ken") =>
  IpRoyalProvider.makeWith({ api_url, api_token: Redacted.make(token), markup_percent: 0 })

const proxySellerAt = (api_url: string) =>
  ProxySellerProvider.makeWith({
    api_url,
    api_key: Redacted.make("k3y/with slash"),
    purpose: "other",
    markup_percent: 0
  })

/** The balances by vendor; a text is the reason why one is not known. */
const balancesAt = (...providers: ReadonlyArray<ProxyProvider>) =>
  VendorBalances.use(({ all }) => all).pipe(
    Effect.map((all) =>
      Object.fromEntries(all.map(({ balance, name }) => [name, typeof balance === "bigint" ? balance : balance.reason]))
    ),
    Effect.provide(Layer.fresh(Layer.provide(VendorBalances.layer, Providers.layerOf(...providers))))
  )

layer(Testing.layer, { excludeTestServices: true })("The money at the vendors", (it) => {
  it.effect("is read from each, also when it is nothing or a debt", () =>
    Effect.gen(function* () {
      const [royal, seller] = [yield* IpRoyalServer.start(), yield* ProxySellerServer.start()]
      const [iproyal, proxySeller] = [yield* iproyalAt(royal.api_url), yield* proxySellerAt(seller.api_url)]
      const read = balancesAt(iproyal, proxySeller)
      assert.deepStrictEqual(yield* read, { iproyal: 884_050_000n, "proxy-seller": 99_000_000n })
      royal.control.balance = 0
      seller.control.balance = "-0.5"
      assert.deepStrictEqual(yield* read, { iproyal: 0n, "proxy-seller": -500_000n })
    })
  )

  it.effect("is not known where the vendor tells none, refuses the key or does not answer", () =>
    Effect.gen(function* () {
      const { api_url } = yield* IpRoyalServer.start()
      const refused = yield* iproyalAt(api_url, "wrong")
      const silent = Struct.omit(refused, ["balance"])
      const away = yield* proxySellerAt("http://127.0.0.1:1")
      const own = { ...silent, name: "gateway", isOwn: true }
      const found = yield* balancesAt(refused, { ...silent, name: "other" }, away, own)
      assert.deepStrictEqual(Object.keys(found), ["iproyal", "other", "proxy-seller"])
      assert.strictEqual(found["iproyal"], "see vendor.key")
      assert.match(String(found["other"]), /^other does not tell your balance/)
      assert.match(String(found["proxy-seller"]), /^proxy-seller: no answer/)
    })
  )
})
