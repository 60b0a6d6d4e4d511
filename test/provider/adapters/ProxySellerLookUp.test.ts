import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import * as ProxySellerProvider from "../../../src/provider/adapters/ProxySellerProvider.ts"
import * as ProxySellerServer from "./ProxySellerServer.ts"
import { askedOf } from "../vendors/VendorServer.ts"
import * as Testing from "../vendors/VendorTesting.ts"

const [dedicated, shared] = ["mobile:GBR:dedicated:0:op%3A1", "mobile:GBR:shared:0:op%3A1"]

const settings = (api_url: string) => ({
  api_url,
  api_key: Redacted.make("k3y/with slash"),
  purpose: "price monitoring",
  markup_percent: 30,
  pace: { callsPerMinute: 1000, writeGap: Duration.zero, moneyGap: Duration.zero, patience: Duration.seconds(5) },
  waiting: { every: Duration.millis(10), times: 8 }
})

/** Starts a vendor for one test, and its adapter. */
const start = Effect.gen(function* () {
  const vendor = yield* ProxySellerServer.start()
  return { vendor, provider: yield* ProxySellerProvider.makeWith(settings(vendor.api_url)) }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

layer(Testing.layer, { excludeTestServices: true })("a purchase from Proxy-Seller whose answer was lost", (it) => {
  for (const trouble of ["reset_after", "hang_after", "garbage_after", "error_500_after"] as const)
    it.effect(`is found after ${trouble}, and never made again`, () =>
      Effect.gen(function* () {
        const vendor = yield* ProxySellerServer.start()
        const timeouts = { free: Duration.seconds(8), money: Testing.moneyTimeout }
        const provider = yield* ProxySellerProvider.makeWith({ ...settings(vendor.api_url), timeouts })
        const taken = Effect.sync(() => trouble === "hang_after" && vendor.orders.length > 0)
        vendor.trouble(trouble)
        const request = Testing.request()
        const purchase = Testing.timingOutOnce(taken, provider.provision(request))
        assert.strictEqual(yield* tagOf(purchase), "ProviderOutcomeUnknown")
        const again = yield* provider.provision(request)
        assert.strictEqual((yield* provider.find(request.reference))?.provider_proxy_id, again.provider_proxy_id)
        assert.lengthOf(vendor.orders, 1)
        assert.lengthOf(askedOf(vendor.asked, "order/make"), 1)
      })
    )

  it.effect("is made again when the vendor must know it and does not list it", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_before")
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      assert.isUndefined(yield* provider.find(request.reference))
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      assert.lengthOf(vendor.orders, 0)
      yield* Testing.age(request.reference, 11)
      const proxy = yield* provider.provision(request)
      assert.strictEqual(proxy.provider_proxy_id, vendor.orders[0]?.order_id)
    })
  )

  it.effect("gets its own proxy beside another unknown purchase, and no other customer's", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const requests = [Testing.request(), Testing.request()]
      vendor.trouble("reset_after", "reset_after", "reset_after", "reset_after")
      for (const request of [
        Testing.request({ period_days: 90, period_months: 3 }),
        Testing.request({ external_id: "isp:DEU" }),
        ...requests
      ])
        assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      const found = yield* Effect.forEach(requests, ({ reference }) => provider.find(reference), {
        concurrency: "unbounded"
      })
      const ours = vendor.orders.slice(2).map(({ order_id }) => order_id)
      assert.sameMembers(
        found.map((proxy) => proxy?.provider_proxy_id),
        ours
      )
    })
  )

  it.effect("stays unknown while another undelivered order may be its own", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 1000
      vendor.trouble("reset_after")
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      assert.strictEqual(yield* tagOf(provider.find(request.reference)), "ProviderUnavailable")
      vendor.orders[0]!.hidden = 0
      assert.isDefined(yield* provider.find(request.reference))
    })
  )

  for (const [what, said] of [
    ["ends immediately", { date_end: "01.01.1970 00:00:00" }],
    ["has no readable end", { date_end: "soon" }],
    ["cannot be read", { ip: 7 }]
  ] as const)
    it.effect(`waits for a listed order that ${what}, and is not made again`, () =>
      Effect.gen(function* () {
        const { provider, vendor } = yield* start
        vendor.trouble("reset_after")
        const request = Testing.request({ external_id: dedicated, kind: "mobile" })
        assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
        vendor.orders[0]!.said = said
        assert.strictEqual(yield* tagOf(provider.find(request.reference)), "ProviderUnavailable")
        vendor.orders[0]!.said = {}
        assert.isDefined(yield* provider.find(request.reference))
      })
    )

  it.effect("may have an order whose id contains no time", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_after")
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      vendor.orders[0]!.order_id = "12345678"
      assert.strictEqual(yield* tagOf(provider.find(request.reference)), "ProviderUnavailable")
    })
  )

  it.effect("does not get an order that may be of another line", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const requests = [shared, dedicated].map((external_id) => Testing.request({ external_id, kind: "mobile" }))
      vendor.trouble("reset_after", "reset_before")
      for (const request of requests)
        assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      for (const { reference } of requests)
        assert.strictEqual(yield* tagOf(provider.find(reference)), "ProviderUnavailable")
      const [, second] = requests
      yield* Testing.age(second!.reference, 60)
      assert.strictEqual((yield* provider.find(requests[0]!.reference))?.provider_proxy_id, vendor.orders[0]!.order_id)
    })
  )

  it.effect("is looked up beyond a short page of orders", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.page = 1
      vendor.trouble("reset_after")
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      yield* provider.provision(Testing.request({ external_id: "isp:DEU" }))
      assert.strictEqual((yield* provider.find(request.reference))?.provider_proxy_id, vendor.orders[0]!.order_id)
    })
  )
})
