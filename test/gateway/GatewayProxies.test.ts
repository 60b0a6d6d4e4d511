import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Fiber, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { GatewayAccess } from "../../src/gateway/GatewayAccess.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { GatewayArticlesRepo } from "../../src/gateway/GatewayArticlesRepo.ts"
import { GatewayProxiesRepo } from "../../src/gateway/GatewayProxiesRepo.ts"
import { GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import { GatewayStock } from "../../src/gateway/GatewayStock.ts"
import { GatewayTerms } from "../../src/gateway/GatewayTerms.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import { RefusedConnectionsRepo } from "../../src/gateway/RefusedConnectionsRepo.ts"
import { UsageRepo } from "../../src/gateway/UsageRepo.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

type Article = Parameters<typeof GatewayShop.articleOf>[0]

const request = ({ limit_bytes = null, ...article }: Article & { readonly limit_bytes?: bigint | null } = {}) => ({
  reference: randomUUID(),
  article: GatewayShop.articleOf(article),
  protocol: "HTTP" as const,
  limit_bytes,
  expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
})

const withEnvironment = (
  env: Record<string, string>,
  holder: typeof HeldPorts.layer | Layer.Layer<never> = HeldPorts.layer,
  exits: Parameters<typeof GatewayShop.layer>[0] = {}
) =>
  Layer.mergeAll(GatewayProxies.layer, holder, GatewayShop.layer(exits)).pipe(
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))
  )

layer(withEnvironment({ GATEWAY_PORTS: "21000-21004" }))("GatewayProxies on one address", (it) => {
  it.effect("opens one proxy per reference, no matter how often it is called", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const wanted = request({ limit_bytes: 5_000_000_000n })
      const opened = yield* Effect.all(
        Array.from({ length: 5 }, () => proxies.open(wanted)),
        { concurrency: 5 }
      )
      assert.strictEqual(new Set(opened.map(({ id }) => id)).size, 1)
      const [first] = opened
      assert.strictEqual(first?.port, 21_000)
      assert.strictEqual(first?.exit_ip, null)
      assert.strictEqual(first?.limit_bytes, 5_000_000_000n)
      assert.strictEqual(first?.used_bytes, 0n)
      assert.lengthOf(first!.logins, 1)
      assert.match(first!.logins[0].username, /^u[0-9a-f]{12}$/)
      assert.match(first!.logins[0].password, /^[0-9a-f]{32}$/)
      assert.deepStrictEqual(yield* proxies.find(wanted.reference), Option.some(first))
      assert.deepStrictEqual(yield* proxies.get(first!.id), first)
    })
  )

  it.effect("gives each proxy its own port, and sells no more ports than it has", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const opened = yield* Effect.forEach([1, 2, 3, 4], () => proxies.open(request()), { concurrency: 4 })
      assert.sameMembers(
        opened.map(({ port }) => port),
        [21_001, 21_002, 21_003, 21_004]
      )
      const none = yield* Effect.flip(proxies.open(request()))
      assert.strictEqual(none._tag, "GatewayOutOfStock")
      assert.isTrue((yield* proxies.offers).every(({ is_available }) => !is_available))

      const closed = yield* proxies.close(opened[1]!.id)
      assert.strictEqual(closed.status, "closed")
      assert.deepStrictEqual(yield* proxies.close(closed.id), closed)
      assert.isTrue((yield* proxies.offers).every(({ is_available }) => is_available))
      assert.strictEqual((yield* proxies.open(request())).port, closed.port)
    })
  )

  it.effect("never opens a closed proxy again, not even by SQL", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(sql`UPDATE gateway_proxy SET status = 'open' WHERE status = 'closed'`)
      assert.strictEqual(error.reason._tag, "ConstraintError")
    })
  )

  it.effect("fails when a proxy does not exist", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const unknown = GatewayProxyId.make(randomUUID())
      assert.strictEqual((yield* Effect.flip(proxies.get(unknown)))._tag, "GatewayProxyNotFound")
      assert.strictEqual((yield* Effect.flip(proxies.close(unknown)))._tag, "GatewayProxyNotFound")
      assert.isTrue(Option.isNone(yield* proxies.find(unknown)))
      const window = { from: DateTime.makeUnsafe(0), unit: "day", count: 7 } as const
      assert.deepStrictEqual(yield* proxies.usage([unknown], window), [])
    })
  )
})

layer(withEnvironment({ GATEWAY_PORTS: "22000-22002" }))("GatewayProxies with few ports", (it) => {
  it.effect("sells a released port again as late as possible", () =>
    Effect.gen(function* () {
      const { close, open } = yield* GatewayProxies
      const used = Effect.fnUntraced(function* () {
        const { id, port } = yield* open(request())
        yield* close(id)
        yield* TestClock.adjust("1 second")
        return port
      })
      assert.deepStrictEqual(yield* Effect.replicateEffect(used(), 5), [22_000, 22_001, 22_002, 22_000, 22_001])
      assert.strictEqual((yield* open(request())).port, 22_002)
      assert.strictEqual(yield* used(), 22_000)
    })
  )
})

/** Moves the clock past the wait for a port, and answers the result. */
const afterTheWait = <A, E, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(answer)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("100 millis")
      yield* Effect.promise(() => setImmediate())
    }
    return yield* Fiber.join(fiber)
  })

layer(
  Layer.merge(withEnvironment({ GATEWAY_PORTS: "23000-23002" }, Layer.empty), HeldPortsRepo.layer).pipe(
    Layer.provideMerge(TestDatabase.layer)
  )
)("GatewayProxies and what gateways hold", (it) => {
  it.effect("sells nothing while no gateway is connected, and waits for one to connect", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      assert.strictEqual((yield* afterTheWait(Effect.flip(proxies.open(request()))))._tag, "GatewayAway")
      assert.isTrue((yield* proxies.offers).every(({ is_available }) => is_available))
      const waiting = yield* Effect.forkChild(proxies.open(request()))
      yield* HeldPorts.hold({ first: 23_001, last: 23_001 })
      const { id, port } = yield* afterTheWait(Fiber.join(waiting))
      assert.strictEqual(port, 23_001)
      yield* proxies.close(id)
    })
  )

  it.effect("is not out of stock when a gateway connects right after the last try", () =>
    Effect.gen(function* () {
      const repo = yield* HeldPortsRepo.make
      let turns = 0
      const stock: typeof repo.stock = Effect.fnUntraced(function* (ports) {
        turns += 1
        const last = yield* repo.stock(ports)
        return turns > 30 ? { free: 1, is_awaited: false, can_grow: false } : last
      })
      const late = Layer.fresh(GatewayProxies.layerNoDeps).pipe(
        Layer.provide([
          GatewayProxiesRepo.layer,
          GatewayAccess.layer,
          Layer.fresh(GatewayStock.layerNoDeps).pipe(Layer.provide(GatewayArticlesRepo.layer)),
          GatewayTerms.layer,
          RefusedConnectionsRepo.layer,
          UsageRepo.layer
        ]),
        Layer.provide(Layer.succeed(HeldPortsRepo, { ...repo, stock })),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "23000-23002" })))
      )
      const opening = Effect.provide(
        GatewayProxies.use(({ open }) => Effect.flip(open(request()))),
        late
      )
      assert.strictEqual((yield* afterTheWait(opening))._tag, "GatewayAway")
      assert.strictEqual(turns, 31)
    })
  )

  it.effect("sells only ports that are held in every place with a gateway", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      yield* HeldPorts.hold({ first: 23_000, last: 23_001 }, { place: "one" })
      yield* HeldPorts.hold({ first: 23_001, last: 23_002 }, { place: "another" })
      const { id, port } = yield* proxies.open(request())
      assert.strictEqual(port, 23_001)
      assert.isFalse((yield* proxies.offers).some(({ is_available }) => is_available))
      assert.strictEqual((yield* Effect.flip(proxies.open(request())))._tag, "GatewayOutOfStock", "without a wait")
      yield* proxies.close(id)
    })
  )

  it.effect("waits for a gateway that is about to hold more ports", () =>
    Effect.gen(function* () {
      const { close, countStock, open } = yield* GatewayProxies
      yield* HeldPorts.hold({ first: 23_000, last: 23_000 }, { refillsAt: 0 })
      assert.strictEqual((yield* countStock).get(request().article), Infinity)
      const first = yield* open(request())
      assert.strictEqual((yield* countStock).get(request().article), Infinity)
      const waiting = yield* Effect.forkChild(open(request()))
      yield* HeldPorts.hold({ first: 23_002, last: 23_002 })
      const second = yield* afterTheWait(Fiber.join(waiting))
      assert.deepStrictEqual([first.port, second.port], [23_000, 23_002])
      for (const { id } of [first, second]) yield* close(id)
    })
  )

  it.effect("knows the remaining stock when no gateway can hold more ports", () =>
    Effect.gen(function* () {
      const { countStock, knownStock, open } = yield* GatewayProxies
      yield* HeldPorts.hold({ first: 23_000, last: 23_001 })
      const { article } = request()
      assert.strictEqual((yield* countStock).get(article), 2)
      yield* open(request())
      assert.strictEqual(knownStock(article), 1)
      yield* open(request())
      assert.deepStrictEqual([knownStock(article), (yield* countStock).get(article)], [0, 0])
      assert.strictEqual((yield* Effect.flip(open(request())))._tag, "GatewayOutOfStock")
    })
  )
})

const exits = {
  "us-datacenter": ["198.51.100.7", "198.51.100.8"],
  "us-mobile": ["198.51.100.17", "198.51.100.18"],
  "de-datacenter": ["2001:db8::1"],
  "nl-datacenter": ["198.51.100.40"]
}

layer(withEnvironment({}, HeldPorts.layer, exits))("GatewayProxies with exit addresses", (it) => {
  it.effect("gives a static proxy its own exit address of its pool, and a mobile proxy the least used one", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const sql = yield* SqlClient.SqlClient
      const opened = yield* Effect.all([proxies.open(request()), proxies.open(request())], { concurrency: 2 })
      assert.sameMembers(
        opened.map(({ exit_ip }) => exit_ip),
        ["198.51.100.7", "198.51.100.8"]
      )
      assert.strictEqual((yield* Effect.flip(proxies.open(request())))._tag, "GatewayOutOfStock")

      const mobile = yield* Effect.forEach([1, 2, 3, 4], () => proxies.open(request({ kind: "mobile" })))
      assert.deepStrictEqual(
        mobile.map(({ exit_ip }) => exit_ip),
        ["198.51.100.17", "198.51.100.18", "198.51.100.17", "198.51.100.18"]
      )
      const taken = yield* Effect.flip(
        sql`UPDATE gateway_proxy SET kind = 'datacenter', signature = NULL WHERE id IN ${sql.in([mobile[0]!.id, mobile[2]!.id])}`
      )
      assert.strictEqual(taken.reason._tag, "UniqueViolation")

      const unavailable = (yield* proxies.offers).filter(({ is_available }) => !is_available)
      assert.sameMembers(
        unavailable.map(({ external_id }) => external_id),
        ["datacenter-ipv4-us", "datacenter-ipv6-us", "datacenter-ipv4-de", "datacenter-ipv6-nl"]
      )
      yield* proxies.close(opened[0]!.id)
      assert.strictEqual((yield* proxies.open(request())).exit_ip, opened[0]!.exit_ip)
    })
  )

  it.effect("never uses an address of another pool, not even by SQL", () =>
    Effect.gen(function* () {
      const proxies = yield* GatewayProxies
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* Effect.flip(proxies.open(request({ country_code: "DE" }))))._tag, "GatewayOutOfStock")
      const { exit_ip, id } = yield* proxies.open(request({ country_code: "DE", ip_version: "IPv6" }))
      assert.strictEqual(exit_ip, "2001:db8::1")
      const mobile = yield* proxies.open(request({ kind: "mobile" }))
      const wrong = [
        sql`UPDATE gateway_proxy SET exit_ip = '198.51.100.7' WHERE id = ${mobile.id}`,
        sql`UPDATE gateway_proxy SET exit_ip = NULL WHERE id = ${id}`,
        sql`DELETE FROM exit_address WHERE ip = '2001:db8::1'`,
        sql`UPDATE exit_address SET pool = 'us-mobile' WHERE ip = '2001:db8::1'`,
        sql`UPDATE exit_pool SET country_code = 'FR' WHERE name = 'nl-datacenter'`,
        sql`UPDATE gateway_article SET ip_version = 'IPv6' WHERE id = 'mobile-ipv4-fr'`
      ]
      for (const statement of wrong) assert.strictEqual((yield* Effect.flip(statement)).reason._tag, "ConstraintError")
    })
  )

  it.effect("sells the last address once, of 40 that want it", () =>
    Effect.gen(function* () {
      const { open } = yield* GatewayProxies
      const wanted = Array.from({ length: 40 }, () => request({ country_code: "NL" }))
      const results = yield* Effect.forEach(wanted, (one) => Effect.result(open(one)), { concurrency: 40 })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      for (const refused of results.filter(Result.isFailure))
        assert.strictEqual(refused.failure._tag, "GatewayOutOfStock")
    })
  )
})
