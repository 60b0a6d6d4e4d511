import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OfferTerms } from "../../../src/catalog/Offer.ts"
import * as ProxySellerProvider from "../../../src/provider/adapters/ProxySellerProvider.ts"
import type { ProxyExtension } from "../../../src/provider/ProxyProvider.ts"
import * as ProxySellerServer from "./ProxySellerServer.ts"
import { askedOf } from "../vendors/VendorServer.ts"
import * as Testing from "../vendors/VendorTesting.ts"

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

const mobileId = "mobile:GBR:dedicated:0:op%3A1"
const tagOf = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

const extension = (previous: DateTime.Utc): ProxyExtension => ({
  reference: "change",
  kind: "append",
  period_days: 30,
  period_months: 1,
  expires_at: DateTime.add(previous, { months: 1 }),
  bandwidth_gb: null,
  previous: { expires_at: previous, bandwidth_gb: null }
})

layer(Testing.layer, { excludeTestServices: true })("Proxy-Seller", (it) => {
  it.effect("extends every kind of proxy, keeps its id, and tells what the vendor charged", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      for (const external_id of ["ipv4:USA", "isp:DEU", "ipv6:FRA", mobileId]) {
        const before = yield* provider.provision(Testing.request({ external_id }))
        const after = yield* provider.extend!(before.provider_proxy_id, extension(before.expires_at))
        const extended = { ...before, expires_at: DateTime.add(before.expires_at, { days: 30 }) }
        assert.deepStrictEqual(after, { ...extended, cost_usd: 1_000_000n })
        assert.deepStrictEqual(yield* provider.get(before.provider_proxy_id), extended)
      }
      assert.lengthOf(askedOf(vendor.asked, "prolong/make/ipv6")[0]?.body.orderIds, 1)
    })
  )

  it.effect("tells the outcome of an unknown extension by the end of the proxy", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { expires_at, provider_proxy_id } = yield* provider.provision(Testing.request())
      const change = extension(expires_at)
      for (const trouble of ["reset_before", "in_progress"] as const) {
        vendor.trouble(trouble)
        assert.strictEqual(yield* tagOf(provider.extend!(provider_proxy_id, change)), "ProviderOutcomeUnknown")
        assert.isUndefined(yield* provider.findChange!(provider_proxy_id, change))
      }
      vendor.trouble("reset_after")
      assert.strictEqual(yield* tagOf(provider.extend!(provider_proxy_id, change)), "ProviderOutcomeUnknown")
      const made = yield* provider.findChange!(provider_proxy_id, change)
      assert.deepStrictEqual(made?.expires_at, DateTime.add(expires_at, { days: 30 }))
      vendor.trouble("no_funds")
      assert.strictEqual(
        yield* tagOf(provider.extend!(provider_proxy_id, extension(made!.expires_at))),
        "ProviderRefused"
      )
    })
  )

  it.effect("replaces logins and source addresses, with calls only for differences", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      yield* provider.provision(Testing.request())
      const [one, two] = [
        { username: "ann", password: "secret-1" },
        { username: "bob", password: "secret-2" }
      ]
      const first = yield* provider.setAccess!(provider_proxy_id, {
        logins: [one, two],
        whitelisted_ips: ["198.51.100.7"]
      })
      assert.strictEqual(first.username, "ann")
      assert.deepStrictEqual(first.whitelisted_ips, ["198.51.100.7"])
      const before = vendor.asked.length
      const second = yield* provider.setAccess!(provider_proxy_id, { logins: [two], whitelisted_ips: ["2001:db8::1"] })
      assert.strictEqual(second.password, "secret-2")
      assert.deepStrictEqual(second.whitelisted_ips, ["2001:db8::1"])
      assert.deepStrictEqual(
        vendor.asked
          .slice(before)
          .flatMap(({ method, path }) => (method === "GET" ? [] : path.split("/").slice(5).join("/"))),
        ["auth/add/ip", "auth/delete", "auth/delete"]
      )
      assert.deepStrictEqual(
        (yield* provider.setAccess!(provider_proxy_id, { whitelisted_ips: [] })).whitelisted_ips,
        []
      )
      assert.sameMembers(
        vendor.auths.map(({ login }) => login),
        ["bob", "user2"]
      )
    })
  )

  it.effect("reports the first requested login", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      const [ann, bob, cid] = ["ann", "bob", "cid"].map((username) => ({ username, password: `secret-${username}` }))
      for (const logins of [[ann!, bob!], [bob!, ann!], [cid!, ann!, bob!], [ann!], [bob!, cid!, ann!]]) {
        const { username } = yield* provider.setAccess!(provider_proxy_id, { logins })
        assert.strictEqual(username, logins[0]?.username)
        assert.sameMembers(
          vendor.auths.map(({ login }) => login),
          logins.map((login) => login.username)
        )
      }
    })
  )

  it.effect("gives a released proxy a secret login and no source addresses", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request({ external_id: mobileId }))
      const ours = ["ann", "bob"].map((username) => ({ username, password: "secret" }))
      yield* provider.setAccess!(provider_proxy_id, { logins: ours, whitelisted_ips: ["198.51.100.7"] })
      yield* provider.release!(provider_proxy_id)
      const [left, ...more] = vendor.auths
      assert.lengthOf(more, 0)
      assert.notInclude(["ann", "bob", "user1"], left?.login)
      assert.match(left?.password ?? "", /^p[0-9a-f]{24}$/)
      yield* provider.release!(provider_proxy_id)
      vendor.orders.splice(0)
      yield* provider.release!(provider_proxy_id)
      yield* provider.release!("0123456789abcdef01234567")
    })
  )

  it.effect("answers the port of another protocol, and refuses that for an IPv6 proxy", () =>
    Effect.gen(function* () {
      const { provider } = yield* start
      const { provider_proxy_id } = yield* provider.provision(Testing.request())
      const socks = yield* provider.setProtocol!(provider_proxy_id, "SOCKS5")
      assert.deepInclude(socks, { port: 50_101, protocol: "SOCKS5" })
      assert.deepStrictEqual(yield* provider.get(provider_proxy_id), socks)
      const sixth = yield* provider.provision(
        Testing.request({ external_id: "ipv6:FRA", ip_version: "IPv6", protocol: "SOCKS5" })
      )
      assert.deepInclude(sixth, { host: "192.0.2.2", port: 26_000, protocol: "SOCKS5", current_ip: null })
      assert.strictEqual(yield* tagOf(provider.setProtocol!(sixth.provider_proxy_id, "HTTP")), "ProviderRefused")
    })
  )

  it.effect("rotates a mobile proxy by the vendor's link, and refuses other proxies", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      const mobile = yield* provider.provision(Testing.request({ external_id: mobileId, kind: "mobile" }))
      assert.deepInclude(askedOf(vendor.asked, "order/make")[0]?.body, {
        mobileServiceType: "dedicated",
        operatorId: "op:1",
        rotationId: 0
      })
      assert.deepStrictEqual(yield* provider.rotate!(mobile.provider_proxy_id), mobile)
      assert.strictEqual(vendor.control.rotations, 1)
      const other = yield* provider.provision(Testing.request())
      assert.strictEqual(yield* tagOf(provider.rotate!(other.provider_proxy_id)), "ProviderRefused")
    })
  )

  it.effect("offers articles at the vendor's price, which the markup is added to, and asks for each price once", () =>
    Effect.gen(function* () {
      const { provider, vendor } = yield* start
      vendor.control.prices.set("ipv4:1m", 1.111)
      assert.strictEqual(provider.markup, 3000)
      const offers = yield* provider.offers
      for (const offer of offers) yield* Schema.encodeEffect(OfferTerms)(offer)
      assert.deepStrictEqual(
        offers.map(({ country_code, external_id, isp, kind, mode, name }) => [
          external_id,
          kind,
          mode,
          country_code,
          name,
          isp
        ]),
        [
          ["ipv4:USA", "datacenter", "static", "US", "Datacenter IPv4, United States", null],
          ["isp:DEU", "residential", "static", "DE", "ISP, Germany", null],
          ["ipv6:FRA", "datacenter", "static", "FR", "Datacenter IPv6, France", null],
          [mobileId, "mobile", "rotating", "GB", "Mobile Vodafone (dedicated), United Kingdom", "Vodafone"],
          [
            "mobile:GBR:shared:0:op%3A1",
            "mobile",
            "rotating",
            "GB",
            "Mobile Vodafone (shared), United Kingdom",
            "Vodafone"
          ]
        ]
      )
      const [us, , fr] = offers
      assert.deepStrictEqual(
        us?.options.map(({ cost_usd, period_days, prices }) => [period_days, prices.USD, cost_usd]),
        [
          [7, 700_000n, 700_000n],
          [30, 1_111_000n, 1_111_000n],
          [90, 9_100_000n, 9_100_000n],
          [360, 36_500_000n, 36_500_000n]
        ]
      )
      assert.deepStrictEqual(
        fr?.options.map(({ period_months }) => period_months),
        [1, 3, 12]
      )
      const asked = askedOf(vendor.asked, "order/calc").length
      assert.strictEqual(asked, 20)
      assert.deepStrictEqual(yield* provider.offers, offers)
      assert.lengthOf(askedOf(vendor.asked, "order/calc"), asked)
    })
  )

  it.effect("lists a rotating offer when all its periods are priced, so that a late price moves no position", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider, vendor } = yield* start
      const listed = Effect.map(provider.offers, (offers) =>
        offers.flatMap(({ external_id, options }) =>
          external_id === mobileId ? [options.map((o) => o.period_days)] : []
        )
      )
      yield* sql`DELETE FROM asked_price`
      const priced = yield* listed
      assert.deepStrictEqual(priced, [[7, 30, 90, 360]])
      vendor.control.priceError = { message: "Incorrect goal", code: 14 }
      yield* sql`DELETE FROM asked_price WHERE article LIKE 'mobile:%:1w'`
      assert.lengthOf(yield* listed, 0)
      yield* sql`
        INSERT INTO asked_price (provider, article, usd, asked_at)
        SELECT provider, replace(article, ':1m', ':1w'), NULL, asked_at FROM asked_price WHERE article LIKE 'mobile:%:1m'
      `
      assert.deepStrictEqual(yield* listed, [[30, 90, 360]])
    })
  )

  it.effect("keeps an offer on sale after a low balance or a temporary refusal", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [message, code] of [
        ["Insufficient funds", 16],
        ["Incorrect goal", 14]
      ] as const) {
        yield* sql`DELETE FROM asked_price`
        const { provider, vendor } = yield* start
        vendor.control.priceError = { message, code }
        assert.lengthOf(yield* provider.offers, 0)
        assert.lengthOf(yield* sql`SELECT article FROM asked_price`, 0)
      }
    })
  )
})
