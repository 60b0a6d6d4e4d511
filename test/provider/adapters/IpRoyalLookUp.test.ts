import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import * as IpRoyalProvider from "../../../src/provider/adapters/IpRoyalProvider.ts"
import * as IpRoyalServer from "./IpRoyalServer.ts"
import * as Testing from "../vendors/VendorTesting.ts"

const settings = (api_url: string) => ({
  api_url,
  api_token: Redacted.make("t0ken"),
  markup_percent: 30,
  waiting: { every: Duration.millis(10), times: 8 }
})

const start = Effect.gen(function* () {
  const vendor = yield* IpRoyalServer.start()
  return { vendor, provider: yield* IpRoyalProvider.makeWith(settings(vendor.api_url)) }
})

const request: typeof Testing.request = (fields) =>
  Testing.request({ external_id: "3:1", kind: "residential", ...fields })

const tagOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

layer(Testing.layer, { excludeTestServices: true })("A purchase from IPRoyal with a lost answer", (it) => {
  for (const trouble of ["reset_after", "hang_after", "garbage_after", "error_500_after", "conflict_after"] as const)
    it.effect(`is found after ${trouble}, and never made again`, () =>
      Effect.gen(function* () {
        const vendor = yield* IpRoyalServer.start()
        const timeouts = { free: Duration.seconds(8), money: Testing.moneyTimeout }
        const provider = yield* IpRoyalProvider.makeWith({ ...settings(vendor.api_url), timeouts })
        const taken = Effect.sync(() => trouble === "hang_after" && vendor.orders.length > 0)
        vendor.trouble(trouble)
        const wanted = request()
        const purchase = Testing.timingOutOnce(taken, provider.provision(wanted))
        assert.strictEqual(yield* tagOf(purchase), "ProviderOutcomeUnknown")
        const found = yield* provider.provision(wanted)
        assert.strictEqual(found.provider_proxy_id, String(vendor.orders[0]?.id))
        assert.lengthOf(vendor.orders, 1)
      })
    )

  it.effect("gets its own proxy beside another unknown purchase, and none that was bought before", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      yield* provider.provision(request())
      vendor.trouble("reset_after", "reset_after", "reset_after", "reset_before")
      const wanted = [request(), request(), request({ period_days: 90, period_months: 3 }), request()]
      for (const one of wanted) assert.strictEqual(yield* tagOf(provider.provision(one)), "ProviderOutcomeUnknown")
      const found = yield* Effect.forEach(wanted, ({ reference }) => provider.find(reference))
      assert.deepStrictEqual(
        found.map((proxy) => proxy?.provider_proxy_id),
        [...vendor.orders.slice(1).map(({ id }) => String(id)), undefined]
      )
    })
  )

  it.effect("ignores the order of another purchase", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_before")
      const lost = request()
      assert.strictEqual(yield* tagOf(provider.provision(lost)), "ProviderOutcomeUnknown")
      yield* provider.provision(request())
      assert.isUndefined(yield* provider.find(lost.reference))
    })
  )

  it.effect("is found behind a page of later orders", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_after")
      const lost = request()
      assert.strictEqual(yield* tagOf(provider.provision(lost)), "ProviderOutcomeUnknown")
      const [order] = vendor.orders
      for (let later = 1; later <= 100; later++)
        vendor.orders.push({ ...order!, id: order!.id + later, plan_name: "90 Days" })
      assert.strictEqual((yield* provider.find(lost.reference))?.provider_proxy_id, String(order!.id))
    })
  )

  it.effect("stays unknown when there are more orders than a look-up reads", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_after")
      const lost = request()
      assert.strictEqual(yield* tagOf(provider.provision(lost)), "ProviderOutcomeUnknown")
      const [order] = vendor.orders
      for (let later = 1; later <= 600; later++)
        vendor.orders.push({ ...order!, id: order!.id + later, plan_name: "90 Days" })
      const asked = vendor.asked.length
      assert.strictEqual(yield* tagOf(provider.find(lost.reference)), "ProviderUnavailable")
      assert.lengthOf(vendor.asked, asked + 5)
    })
  )

  it.effect("is found by the name of its plan in any case", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.trouble("reset_after")
      const lost = request()
      assert.strictEqual(yield* tagOf(provider.provision(lost)), "ProviderOutcomeUnknown")
      vendor.orders[0]!.plan_name = " 30 days "
      assert.strictEqual((yield* provider.find(lost.reference))?.provider_proxy_id, String(vendor.orders[0]!.id))
    })
  )
})
