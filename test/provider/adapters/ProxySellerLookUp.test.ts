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

/** A vendor of its own for each test, and the adapter in front of it. */
const start = Effect.gen(function* () {
  const vendor = yield* ProxySellerServer.start()
  return { vendor, provider: yield* ProxySellerProvider.makeWith(settings(vendor.api_url)) }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

layer(Testing.layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "a purchase from Proxy-Seller whose answer was lost",
  (it) => {
    for (const trouble of ["reset_after", "hang_after", "garbage_after", "error_500_after"] as const)
      it.effect(`a purchase that worked although it met ${trouble} is found, and never made again`, () =>
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

    it.effect("a purchase that was lost on its way is made again once the vendor must know of it", () =>
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

    it.effect("two unknown purchases of one article get a proxy each, and nobody else's", () =>
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

    it.effect("an order of somebody's that is not delivered yet keeps the answer open", () =>
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
      ["ends at once", { date_end: "01.01.1970 00:00:00" }],
      ["has no end that can be read", { date_end: "soon" }],
      ["cannot be read", { ip: 7 }]
    ] as const)
      it.effect(`a lost order that is listed and ${what} is waited for, and not bought again`, () =>
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

    it.effect("an order whose id tells no time may be the one that was lost", () =>
      Effect.gen(function* () {
        const { provider, vendor } = yield* start
        vendor.trouble("reset_after")
        const request = Testing.request()
        assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
        vendor.orders[0]!.order_id = "12345678"
        assert.strictEqual(yield* tagOf(provider.find(request.reference)), "ProviderUnavailable")
      })
    )

    it.effect("nobody gets an order that may be another line's", () =>
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
        assert.strictEqual(
          (yield* provider.find(requests[0]!.reference))?.provider_proxy_id,
          vendor.orders[0]!.order_id
        )
      })
    )

    it.effect("a page of the vendor's that holds fewer orders than were asked for is not its last", () =>
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
  }
)
