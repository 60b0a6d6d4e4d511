import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Logger, Redacted, Tracer } from "effect"
import * as ProxySellerProvider from "../../../src/provider/adapters/ProxySellerProvider.ts"
import * as ProxySellerServer from "./ProxySellerServer.ts"
import { askedOf } from "../vendors/VendorServer.ts"
import * as Testing from "../vendors/VendorTesting.ts"

const key = "k3y/with slash"

const settings = (api_url: string) => ({
  api_url,
  api_key: Redacted.make(key),
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

layer(Testing.layer, { excludeTestServices: true })("Proxy-Seller", (it) => {
  it.effect("buys one proxy per order, with its own login and our reference as its comment", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const request = Testing.request()
      const proxy = yield* provider.provision(request)
      const order = vendor.orders[0]!
      assert.deepStrictEqual(proxy, {
        provider_proxy_id: order.order_id,
        is_live: true,
        host: "192.0.2.1",
        port: 50_100,
        username: "user1",
        password: "pass1",
        protocol: "HTTP",
        expires_at: DateTime.makeUnsafe(Math.floor(order.end / 1000) * 1000),
        whitelisted_ips: [],
        bandwidth_gb: null,
        used_gb: null,
        current_ip: "192.0.2.1",
        signature: null,
        isp: null
      })
      assert.deepStrictEqual(askedOf(vendor.asked, "order/make")[0]?.body, {
        sectionCode: "ipv4",
        countryId: "USA",
        periodId: "1m",
        quantity: 1,
        paymentCode: "balance",
        customTargetName: "price monitoring",
        generateAuth: "Y"
      })
      assert.strictEqual(order.comment, request.reference)
      assert.deepStrictEqual(yield* provider.get(proxy.provider_proxy_id), proxy)
      assert.deepStrictEqual(yield* provider.find(request.reference), proxy)
      assert.lengthOf(askedOf(vendor.asked, "proxy/comment/set"), 1)
    })
  )

  it.effect("waits for a late activation", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 2
      assert.isTrue((yield* provider.provision(Testing.request())).is_live)
    })
  )

  it.effect("finds a late proxy later, and never answers that it does not exist", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.hidden = 1000
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderOutcomeUnknown")
      yield* Testing.age(request.reference, 60)
      assert.strictEqual(yield* tagOf(provider.find(request.reference)), "ProviderUnavailable")
      vendor.orders[0]!.hidden = 0
      assert.strictEqual((yield* provider.find(request.reference))?.provider_proxy_id, vendor.orders[0]!.order_id)
      assert.lengthOf(vendor.orders, 1)
    })
  )

  for (const [trouble, tag] of [
    ["no_funds", "ProviderRefused"],
    ["warning", "ProviderRefused"],
    ["invalid", "ProviderRefused"],
    ["too_many", "ProviderUnavailable"]
  ] as const)
    it.effect(`buys nothing and records nothing after ${trouble}`, () =>
      Effect.gen(function* () {
        const { provider, vendor } = yield* start
        vendor.trouble(trouble)
        const request = Testing.request()
        assert.strictEqual(yield* tagOf(provider.provision(request)), tag)
        assert.isUndefined(yield* Testing.recorded(request.reference))
        assert.lengthOf(askedOf(vendor.asked, "order/make"), 1)
        assert.isUndefined(yield* provider.find(request.reference))
      })
    )

  it.effect("is unavailable with a wrong key, and never shows the key", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.denied = true
      const seen: Array<string> = []
      const logger = Logger.make(({ message }) => void seen.push(JSON.stringify(message)))
      const native = Tracer.Tracer.defaultValue()
      const tracer = Tracer.make({
        span: (options) => {
          const span = native.span(options)
          seen.push(span.name)
          const attribute = span.attribute.bind(span)
          span.attribute = (name, value) => {
            seen.push(`${name}=${String(value)}`)
            attribute(name, value)
          }
          return span
        }
      })
      const calls: ReadonlyArray<Effect.Effect<unknown, Error>> = [
        provider.offers,
        provider.provision(Testing.request()),
        provider.rotate!("nothing")
      ]
      for (const call of calls) {
        const error = yield* Effect.flip(Effect.withTracer(call, tracer)).pipe(Effect.provide(Logger.layer([logger])))
        seen.push(JSON.stringify(error), error.message, String(error.stack))
      }
      assert.include(seen.join(), "refuses access")
      assert.include(seen.join(), "proxy-seller.provision")
      for (const secret of [key, encodeURIComponent(key), "k3y"]) assert.notInclude(seen.join(), secret)
    })
  )

  it.effect("is unavailable when the vendor cannot be reached", () =>
    Effect.gen(function* () {
      const { api_url } = yield* Effect.scoped(ProxySellerServer.start())
      const provider = yield* ProxySellerProvider.makeWith(settings(api_url))
      const request = Testing.request()
      assert.strictEqual(yield* tagOf(provider.provision(request)), "ProviderUnavailable")
      assert.isUndefined(yield* Testing.recorded(request.reference))
      assert.strictEqual(yield* tagOf(provider.offers), "ProviderUnavailable")
    })
  )

  it.effect("repeats an unanswered read once", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      vendor.readTrouble("reset")
      assert.isDefined(yield* provider.get(provider_proxy_id))
      vendor.readTrouble({ status: 502, body: "" }, "reset")
      assert.strictEqual(yield* tagOf(provider.get(provider_proxy_id)), "ProviderUnavailable")
    })
  )

  for (const [what, said] of [
    ["port", { port_http: null }],
    ["end", { date_end: "" }]
  ] as const)
    it.effect(`does not answer a proxy as gone while its ${what} is missing`, () =>
      Effect.gen(function* () {
        const { provider, vendor } = yield* start
        const { provider_proxy_id } = yield* provider.provision(Testing.request())
        vendor.orders[0]!.said = said
        assert.strictEqual(yield* tagOf(provider.get(provider_proxy_id)), "ProviderUnavailable")
        vendor.orders[0]!.said = {}
        assert.isTrue((yield* provider.get(provider_proxy_id))?.is_live)
      })
    )

  it.effect("does not answer a proxy as gone while its login is inactive", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      vendor.auths[0]!.active = false
      assert.strictEqual(yield* tagOf(provider.get(provider_proxy_id)), "ProviderUnavailable")
    })
  )

  it.effect("reads the logins of many proxies with one call", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      const asked = askedOf(vendor.asked, "auth/list").length
      yield* Effect.forEach(Array.from({ length: 20 }), () => provider.get(provider_proxy_id), { concurrency: 5 })
      assert.isAtMost(askedOf(vendor.asked, "auth/list").length, asked + 1)
    })
  )

  it.effect("answers an ended proxy as not live, and an unknown proxy as undefined", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      vendor.orders[0]!.status = "ENDED"
      assert.isFalse((yield* provider.get(provider_proxy_id))?.is_live)
      vendor.orders[0]!.status = "CLOSED"
      assert.isUndefined(yield* provider.get(provider_proxy_id))
      assert.isUndefined(yield* provider.get("0123456789abcdef01234567"))
    })
  )
})
