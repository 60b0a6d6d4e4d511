import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { OfferTerms } from "../../../src/catalog/Offer.ts"
import * as IpRoyalProvider from "../../../src/provider/adapters/IpRoyalProvider.ts"
import type { ProxyExtension } from "../../../src/provider/ProxyProvider.ts"
import * as IpRoyalServer from "./IpRoyalServer.ts"
import { askedOf } from "../vendors/VendorServer.ts"
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

const extension = (previous: DateTime.Utc, period_days = 30): ProxyExtension => ({
  reference: "change",
  kind: "append",
  period_days,
  period_months: Math.floor(period_days / 30),
  expires_at: DateTime.add(previous, { days: period_days }),
  bandwidth_gb: null,
  previous: { expires_at: previous, bandwidth_gb: null }
})

layer(Testing.layer, { excludeTestServices: true })("IPRoyal", (it) => {
  it.effect("buys one proxy for one order and waits until it is delivered", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 3
      const wanted = request({ protocol: "SOCKS5", city: "new york" })
      const proxy = yield* provider.provision(wanted)
      const order = vendor.orders[0]!
      assert.deepStrictEqual(proxy, {
        provider_proxy_id: String(order.id),
        is_live: true,
        host: "192.0.2.1",
        port: 12_324,
        username: "user1",
        password: "pass1",
        protocol: "SOCKS5",
        expires_at: DateTime.makeUnsafe(Math.floor(order.end / 1000) * 1000),
        whitelisted_ips: [],
        bandwidth_gb: null,
        used_gb: null,
        current_ip: "192.0.2.1",
        signature: null,
        isp: null
      })
      assert.deepStrictEqual(vendor.asked.find(({ method }) => method === "POST")?.body, {
        product_id: 3,
        product_plan_id: 30,
        product_location_id: 11,
        quantity: 1,
        auto_extend: false
      })
      assert.deepStrictEqual(yield* provider.get(proxy.provider_proxy_id), proxy)
      assert.deepStrictEqual(yield* provider.find(wanted.reference), proxy)
    })
  )

  it.effect("finds a late proxy later, and never answers that it does not exist", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 1000
      const wanted = request()
      assert.strictEqual(yield* tagOf(provider.provision(wanted)), "ProviderOutcomeUnknown")
      assert.strictEqual(yield* tagOf(provider.find(wanted.reference)), "ProviderUnavailable")
      vendor.orders[0]!.hidden = 0
      assert.strictEqual((yield* provider.find(wanted.reference))?.provider_proxy_id, String(vendor.orders[0]!.id))
    })
  )

  it.effect("refuses an order that the vendor takes back, and does not buy it again", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 1000
      const wanted = request()
      assert.strictEqual(yield* tagOf(provider.provision(wanted)), "ProviderOutcomeUnknown")
      Object.assign(vendor.orders[0]!, { status: "refunded" })
      assert.isUndefined(yield* provider.find(wanted.reference))
      assert.strictEqual(yield* tagOf(provider.provision(wanted)), "ProviderRefused")
      assert.lengthOf(vendor.orders, 1)
    })
  )

  for (const [trouble, tag] of [
    ["no_funds", "ProviderRefused"],
    ["out_of_stock", "ProviderRefused"],
    ["too_many", "ProviderUnavailable"]
  ] as const)
    it.effect(`buys nothing and records nothing after ${trouble}`, () =>
      Effect.gen(function* () {
        const { provider, vendor } = yield* start
        vendor.trouble(trouble)
        const wanted = request()
        assert.strictEqual(yield* tagOf(provider.provision(wanted)), tag)
        assert.isUndefined(yield* Testing.recorded(wanted.reference))
        assert.lengthOf(vendor.orders, 0)
      })
    )

  it.effect("is unavailable with a wrong token", () =>
    Effect.gen(function* () {
      const { vendor } = yield* start
      const wrong = { ...settings(vendor.api_url), api_token: Redacted.make("other") }
      const provider = yield* IpRoyalProvider.makeWith(wrong)
      const error = yield* Effect.flip(provider.offers)
      assert.include(error.reason, "refuses access")
      assert.strictEqual(yield* tagOf(provider.provision(request())), "ProviderUnavailable")
    })
  )

  it.effect("refuses an article that it does not sell, without an order", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      for (const fields of [{ external_id: "9:1" }, { external_id: "3:9" }, { period_days: 45, period_months: 0 }])
        assert.strictEqual(yield* tagOf(provider.provision(request(fields))), "ProviderRefused")
      assert.lengthOf(vendor.orders, 0)
    })
  )

  it.effect("extends by a plan of the product, and looks up the outcome", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const before = yield* provider.provision(request())
      const id = before.provider_proxy_id
      const after = yield* provider.extend!(id, extension(before.expires_at, 90))
      assert.deepStrictEqual(after, { ...before, expires_at: DateTime.add(before.expires_at, { days: 90 }) })
      const change = extension(after.expires_at)
      vendor.trouble("reset_before", "reset_after")
      assert.strictEqual(yield* tagOf(provider.extend!(id, change)), "ProviderOutcomeUnknown")
      assert.isUndefined(yield* provider.findChange!(id, change))
      assert.strictEqual(yield* tagOf(provider.extend!(id, change)), "ProviderOutcomeUnknown")
      assert.isDefined(yield* provider.findChange!(id, change))
      assert.strictEqual(yield* tagOf(provider.extend!(id, extension(after.expires_at, 60))), "ProviderRefused")
      assert.lengthOf(askedOf(vendor.asked, "/extend"), 3)
    })
  )

  it.effect("changes the one login and the port, and refuses other changes", () =>
    Effect.gen(function* () {
      const { provider } = yield* start
      const { provider_proxy_id: id } = yield* provider.provision(request())
      const [one, two] = [
        { username: "ann", password: "secret-1" },
        { username: "bob", password: "secret-2" }
      ]
      assert.deepInclude(yield* provider.setAccess!(id, { logins: [one] }), one)
      assert.strictEqual(yield* tagOf(provider.setAccess!(id, { logins: [one, two] })), "ProviderRefused")
      assert.strictEqual(yield* tagOf(provider.setAccess!(id, { whitelisted_ips: ["192.0.2.7"] })), "ProviderRefused")
      assert.deepInclude(yield* provider.setProtocol!(id, "SOCKS5"), { port: 12_324, protocol: "SOCKS5" })
      assert.deepInclude(yield* provider.get(id), { ...one, port: 12_324 })
    })
  )

  it.effect("answers an ended order as not live, and an unknown order as undefined", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id: id } = yield* provider.provision(request())
      Object.assign(vendor.orders[0]!, { status: "expired" })
      assert.isFalse((yield* provider.get(id))?.is_live)
      vendor.orders.splice(0)
      assert.isUndefined(yield* provider.get(id))
      assert.isUndefined(yield* provider.get("1"))
    })
  )

  it.effect("does not answer a proxy as gone while the vendor works on its order", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id: id } = yield* provider.provision(request())
      Object.assign(vendor.orders[0]!, { status: "in-progress", hidden: 1 })
      assert.strictEqual(yield* tagOf(provider.get(id)), "ProviderUnavailable")
      assert.isTrue((yield* provider.get(id))?.is_live)
    })
  )

  it.effect("gives a released proxy a secret login", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { password, provider_proxy_id: id, username } = yield* provider.provision(request())
      yield* provider.release!(id)
      const [order] = vendor.orders
      assert.notStrictEqual(order?.username, username)
      assert.notStrictEqual(order?.password, password)
      yield* provider.release!(id)
      Object.assign(order!, { status: "expired" })
      const changes = askedOf(vendor.asked, "change-credentials").length
      yield* provider.release!(id)
      yield* provider.release!("1")
      assert.lengthOf(askedOf(vendor.asked, "change-credentials"), changes)
    })
  )

  it.effect("offers products by country and plans by period", () =>
    Effect.gen(function* () {
      const { provider } = yield* start
      assert.strictEqual(provider.markup, 3000)
      const offers = yield* provider.offers
      for (const offer of offers) yield* Schema.encodeEffect(OfferTerms)(offer)
      assert.deepStrictEqual(
        offers.map(({ external_id, is_available, kind, name }) => [external_id, kind, is_available, name]),
        [
          ["3:1", "residential", true, "Static Residential, United States"],
          ["3:2", "residential", false, "Static Residential, Germany"],
          ["4:1", "datacenter", true, "Datacenter, United States"],
          ["4:2", "datacenter", false, "Datacenter, Germany"]
        ]
      )
      assert.deepStrictEqual(offers[0]?.locations, [
        { region: "", city: "New York" },
        { region: "", city: "Chicago" }
      ])
      assert.deepStrictEqual(
        offers[0]?.options.map(({ period_days, period_months, prices }) => [period_days, period_months, prices.USD]),
        [
          [1, 0, 1_800_000n],
          [30, 1, 2_700_000n],
          [90, 3, 7_290_000n]
        ]
      )
    })
  )
})
