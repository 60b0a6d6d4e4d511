import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import { HeldPortsRepo } from "../../../src/gateway/HeldPortsRepo.ts"
import * as GatewayProvider from "../../../src/provider/adapters/GatewayProvider.ts"
import type { ProvisionRequest, ProxyExtension, TrafficAddition } from "../../../src/provider/ProxyProvider.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import * as HeldPorts from "../../support/HeldPorts.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const expires_at = DateTime.makeUnsafe("2030-01-31T00:00:00Z")
const later = DateTime.makeUnsafe("2030-02-28T00:00:00Z")

const request = (changes: Partial<ProvisionRequest> = {}): ProvisionRequest => ({
  reference: randomUUID(),
  external_id: "mobile-ipv4-us",
  kind: "mobile",
  country_code: "US",
  ip_version: "IPv4",
  protocol: "SOCKS5",
  city: null,
  period_days: 30,
  period_months: 1,
  bandwidth_gb: 50,
  expires_at,
  ...changes
})

const extension = (changes: Partial<ProxyExtension> = {}): ProxyExtension => ({
  reference: randomUUID(),
  kind: "append",
  period_days: 30,
  period_months: 1,
  expires_at: later,
  bandwidth_gb: 100,
  previous: { expires_at, bandwidth_gb: 50 },
  ...changes
})

const addition = (): TrafficAddition => ({
  reference: randomUUID(),
  kind: "traffic",
  added_gb: 5,
  bandwidth_gb: 55,
  previous: { expires_at, bandwidth_gb: 50 }
})

const window = { from: DateTime.subtract(expires_at, { days: 1 }), unit: "day", count: 7 } as const

const unknown = "01890000-0000-7000-8000-000000000001"

const env = {
  GATEWAY_HOST: "proxy.example",
  GATEWAY_PORTS: "21000-21029"
}

const exits = { "us-mobile": ["198.51.100.7", "198.51.100.8"], "jp-datacenter": [] }

const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, GatewayShop.layer(exits)).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
)

const provisioned = Effect.fnUntraced(function* (changes?: Partial<ProvisionRequest>) {
  const provider = yield* GatewayProvider.make
  return { provider, proxy: yield* provider.provision(request(changes)) }
})

const tagOf = <E extends { readonly _tag: string }>(call: Effect.Effect<unknown, E>) =>
  Effect.map(Effect.flip(call), ({ _tag }) => _tag)

layer(services)("GatewayProvider", (it) => {
  it.effect("provisions once per reference, with traffic in GB of 10^9 bytes, and finds the proxy again", () =>
    Effect.gen(function* () {
      const provider = yield* GatewayProvider.make
      const wanted = request()
      const proxy = yield* provider.provision(wanted)
      const { password, port, provider_proxy_id, username, ...rest } = proxy
      assert.deepStrictEqual(rest, {
        is_live: true,
        host: "proxy.example",
        protocol: "SOCKS5",
        expires_at,
        whitelisted_ips: [],
        bandwidth_gb: 50,
        used_gb: 0,
        current_ip: "198.51.100.7",
        signature: "android",
        isp: null
      })
      assert.deepStrictEqual([port >= 21_000, username === "", password === ""], [true, false, false])
      assert.deepStrictEqual(yield* provider.provision(wanted), proxy)
      assert.deepStrictEqual(yield* provider.find(wanted.reference), proxy)
      assert.deepStrictEqual(yield* provider.get(provider_proxy_id), proxy)
      assert.isUndefined(yield* provider.find(unknown))
      assert.isUndefined(yield* provider.get(unknown))
    })
  )

  it.effect("refuses for good when no port or exit address is free", () =>
    Effect.gen(function* () {
      const provider = yield* GatewayProvider.make
      const error = yield* Effect.flip(provider.provision(request({ external_id: "datacenter-ipv4-jp" })))
      assert.strictEqual(error._tag, "ProviderRefused")
      assert.include(error.reason, "no free port")
    })
  )

  it.effect("lists the proxies that the gateway closed before they expired, such as proxies with a lost port", () =>
    Effect.gen(function* () {
      const { closeLost } = yield* HeldPortsRepo
      const provider = yield* GatewayProvider.make
      const lost = request()
      const over = request({ expires_at: yield* DateTime.now })
      const ids = []
      for (const wanted of [lost, over]) ids.push((yield* provider.provision(wanted)).provider_proxy_id)
      yield* provider.provision(request())
      assert.deepStrictEqual(yield* provider.endedEarly, [])
      yield* closeLost(ids, yield* DateTime.now)
      assert.deepStrictEqual(yield* provider.endedEarly, [lost.reference])
    }).pipe(Effect.provide(HeldPortsRepo.layer))
  )

  it.effect("appends time and traffic once per reference, and finds the change again", () =>
    Effect.gen(function* () {
      const { provider, proxy } = yield* provisioned()
      const change = extension()
      assert.isUndefined(yield* provider.findChange(proxy.provider_proxy_id, change))
      const extended = yield* provider.extend(proxy.provider_proxy_id, change)
      assert.deepStrictEqual(extended, { ...proxy, expires_at: later, bandwidth_gb: 100 })
      assert.deepStrictEqual(yield* provider.extend(proxy.provider_proxy_id, change), extended)
      assert.deepStrictEqual(yield* provider.findChange(proxy.provider_proxy_id, change), extended)
      assert.isUndefined(yield* provider.findChange(proxy.provider_proxy_id, extension()))
      assert.isUndefined(yield* provider.findChange(unknown, change))
    })
  )

  it.effect("restarts a cycle with no traffic used, with or without a limit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider, proxy } = yield* provisioned()
      const id = proxy.provider_proxy_id
      yield* sql`UPDATE gateway_proxy SET used_bytes = 1250000000 WHERE id = ${id}`
      assert.strictEqual((yield* provider.get(id))?.used_gb, 1.25)
      const change = extension({ kind: "restart", bandwidth_gb: null })
      const restarted = yield* provider.extend(id, change)
      assert.deepStrictEqual(restarted, { ...proxy, expires_at: later, bandwidth_gb: null })
      assert.deepStrictEqual(yield* provider.extend(id, change), restarted)
      assert.strictEqual(yield* tagOf(provider.addTraffic(id, addition())), "ProviderRefused")
    })
  )

  it.effect("adds traffic once per reference, and finds the change again", () =>
    Effect.gen(function* () {
      const { provider, proxy } = yield* provisioned()
      const change = addition()
      const more = yield* provider.addTraffic(proxy.provider_proxy_id, change)
      assert.deepStrictEqual(more, { ...proxy, bandwidth_gb: 55 })
      assert.deepStrictEqual(yield* provider.addTraffic(proxy.provider_proxy_id, change), more)
      assert.deepStrictEqual(yield* provider.findChange(proxy.provider_proxy_id, change), more)
    })
  )

  it.effect("changes access, protocol, address and signature, each on its own", () =>
    Effect.gen(function* () {
      const { provider, proxy } = yield* provisioned()
      const id = proxy.provider_proxy_id
      const logins = [
        { username: "one", password: "1" },
        { username: "two", password: "2" }
      ]
      const listed = yield* provider.setAccess(id, { whitelisted_ips: ["8.8.8.8"] })
      assert.deepStrictEqual(listed, { ...proxy, whitelisted_ips: ["8.8.8.8"] })
      assert.deepStrictEqual(yield* provider.setAccess(id, { logins }), { ...listed, username: "one", password: "1" })
      assert.strictEqual((yield* provider.setProtocol(id, "HTTP")).protocol, "HTTP")
      const other = { "198.51.100.7": "198.51.100.8", "198.51.100.8": "198.51.100.7" }[proxy.current_ip ?? ""]
      assert.strictEqual((yield* provider.rotate(id)).current_ip, other)
      assert.deepStrictEqual(provider.signatures, ["android", "ios", "linux", "macos", "windows"])
      for (const signature of provider.signatures)
        assert.strictEqual((yield* provider.setSignature(id, signature)).signature, signature)
      assert.strictEqual(yield* tagOf(provider.setSignature(id, "amiga")), "ProviderRefused")
      assert.strictEqual(yield* tagOf(provider.setAccess(id, { logins: [] })), "ProviderRefused")
    })
  )

  it.effect("refuses every change of a released proxy, and shows no address and signature of it", () =>
    Effect.gen(function* () {
      const { provider, proxy } = yield* provisioned()
      const id = proxy.provider_proxy_id
      yield* provider.release(id)
      yield* provider.release(id)
      yield* provider.release(unknown)
      const ended = { ...proxy, is_live: false, current_ip: null, signature: null }
      assert.deepStrictEqual(yield* provider.get(id), ended)
      for (const of of [id, unknown]) {
        const changes: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          provider.extend(of, extension()),
          provider.extend(of, extension({ kind: "restart" })),
          provider.addTraffic(of, addition()),
          provider.setAccess(of, { whitelisted_ips: [] }),
          provider.setProtocol(of, "HTTP"),
          provider.rotate(of),
          provider.setSignature(of, "ios")
        ]
        for (const change of changes) assert.strictEqual(yield* tagOf(change), "ProviderRefused")
      }
      assert.deepStrictEqual(yield* provider.get(id), ended)
    })
  )

  it.effect("sums traffic by the points of a window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider, proxy } = yield* provisioned()
      const provider_proxy_id = proxy.provider_proxy_id
      const usage = { proxy_id: provider_proxy_id, cycle: 1, bytes: 7n, hour: DateTime.toDate(expires_at) }
      yield* sql`INSERT INTO gateway_usage ${sql.insert(usage)}`
      assert.deepStrictEqual(yield* provider.traffic([provider_proxy_id], window), [
        { point: 1, ended_in: null, bytes: 7n }
      ])
      assert.deepStrictEqual(yield* provider.traffic([unknown], window), [])
    })
  )
})

describe("GatewayProvider without its database", () => {
  it.effect("answers an unknown outcome to a purchase, and is unavailable for all other calls", () =>
    Effect.gen(function* () {
      const away = Effect.die(new Error("the connection is lost"))
      const fails = () => away
      const gateway = Layer.mock(GatewayProxies)({
        host: "proxy.example",
        offers: away,
        knownStock: () => Infinity,
        open: fails,
        find: fails,
        get: fails,
        close: fails,
        usage: fails,
        extend: fails,
        addTraffic: fails,
        setUsers: fails,
        setProtocol: fails,
        rotate: fails,
        setSignature: fails
      })
      const provider = yield* Effect.provide(GatewayProvider.make, gateway)
      const purchases: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        provider.provision(request()),
        provider.extend(unknown, extension()),
        provider.addTraffic(unknown, addition())
      ]
      for (const call of purchases) assert.strictEqual(yield* tagOf(call), "ProviderOutcomeUnknown")
      const others: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        provider.offers,
        provider.find(unknown),
        provider.get(unknown),
        provider.findChange(unknown, extension()),
        provider.setAccess(unknown, {}),
        provider.setProtocol(unknown, "HTTP"),
        provider.rotate(unknown),
        provider.setSignature(unknown, "ios"),
        provider.release(unknown),
        provider.traffic([unknown], window)
      ]
      for (const call of others) assert.strictEqual(yield* tagOf(call), "ProviderUnavailable")
    })
  )
})
