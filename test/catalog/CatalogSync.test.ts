import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { CatalogRepo } from "../../src/catalog/CatalogRepo.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as ConfiguredProviders from "../../src/provider/adapters/ConfiguredProviders.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { settled } from "../support/Settled.ts"
import { everything, start } from "./CatalogTesting.ts"

const versionNow = Effect.flatMap(CatalogRepo, ({ version }) => version)
const listedNow = Effect.flatMap(CatalogRepo, ({ renewable }) => renewable)
const namesNow = Effect.map(listedNow, (offers) => offers.map(({ external_id }) => external_id).toSorted())

layer(everything)("Catalog sync", (it) => {
  it.effect("fills the catalog with exact prices and options in their order", () =>
    Effect.gen(function* () {
      const { sync } = yield* start(datacenter, residential, mobile)
      yield* sync
      const offers = yield* listedNow
      assert.deepStrictEqual(
        offers.map(({ external_id }) => external_id),
        ["dc-us", "isp-de", "mobile-gb"]
      )
      assert.deepStrictEqual(offers[2]?.options, mobile.options)
      assert.deepStrictEqual(offers[1]?.price_per_gb, { USD: 600_000n, STAR: 30n, cost_usd: 100_000n })
      assert.deepStrictEqual(offers[1]?.locations, residential.locations)
      assert.isTrue(yield* (yield* Catalog).filled)
    })
  )

  it.effect("raises the version once for any number of changes, and not without a change", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential)
      yield* sync
      const version = yield* versionNow
      const before = yield* listedNow
      yield* TestClock.adjust("5 minutes")
      yield* sync
      assert.strictEqual(yield* versionNow, version)
      assert.deepStrictEqual(yield* listedNow, before)

      memory.setOffers([
        { ...datacenter, is_available: false },
        { ...residential, name: "Another name" }
      ])
      yield* sync
      assert.strictEqual(yield* versionNow, version + 1n)
    })
  )

  it.effect("updates only the offer that changed", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential)
      yield* sync
      const [before] = yield* listedNow
      yield* TestClock.adjust("5 minutes")
      memory.setOffers([datacenter, { ...residential, is_available: false }])
      yield* sync
      const [same, changed] = yield* listedNow
      assert.deepStrictEqual(same, before)
      assert.isFalse(changed?.is_available)
      assert.isTrue((changed?.updated_at.epochMilliseconds ?? 0) > (changed?.created_at.epochMilliseconds ?? 0))
    })
  )

  it.effect("unlists what a provider no longer sells, and lists it under the same id when it comes back", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential)
      yield* sync
      const catalog = yield* Catalog
      const offer = (yield* listedNow).find(({ kind }) => kind === "residential")
      assert.isDefined(offer)
      if (offer === undefined) return
      memory.setOffers([datacenter])
      yield* sync
      assert.strictEqual((yield* Effect.flip(catalog.offer(offer.id)))._tag, "OfferNotFound")
      memory.setOffers([datacenter, residential])
      yield* sync
      assert.strictEqual((yield* catalog.offer(offer.id)).external_id, "isp-de")
    })
  )

  it.effect("does not use up ids when nothing is added", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter)
      yield* sync
      yield* Effect.repeat(sync, { times: 5 })
      const highest = Math.max(...(yield* listedNow).map(({ id }) => id))
      memory.setOffers([datacenter, mobile])
      yield* sync
      assert.strictEqual(Math.max(...(yield* listedNow).map(({ id }) => id)), highest + 1)
    })
  )

  it.effect("keeps the last offers of a provider that is down, hangs or answers an empty list", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential)
      yield* sync
      const version = yield* versionNow

      memory.setDown(true)
      yield* sync
      memory.setDown(false)
      memory.setOffers([])
      yield* sync
      const hanging = { ...memory.provider, offers: Effect.never }
      const run = yield* Effect.forkChild(
        Effect.provideService(CatalogSync.run, Providers, Providers.from([hanging])),
        { startImmediately: true }
      )
      while (run.pollUnsafe() === undefined) {
        yield* TestClock.adjust("31 seconds")
        yield* Effect.yieldNow
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      }
      yield* Fiber.join(run)

      assert.strictEqual(yield* versionNow, version)
      assert.deepStrictEqual(yield* namesNow, ["dc-us", "isp-de"])
    })
  )

  it.effect("logs in one line why it cannot sync a provider", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => logged.push(message))
    return Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter)
      memory.setDown(true)
      yield* Effect.provide(sync, Logger.layer([logger]))
      const { name } = memory.provider
      assert.deepStrictEqual(logged, [[`Cannot sync provider ${name}; its last offers stay: ${name}: down`]])
    })
  })

  it.effect("syncs other providers when one fails", () =>
    Effect.gen(function* () {
      const { memory } = yield* start(datacenter)
      const broken = MemoryProvider.make({ name: "broken" })
      const dying = { ...broken.provider, offers: Effect.die(new Error("a fault in the adapter")) }
      yield* Effect.provideService(CatalogSync.run, Providers, Providers.from([dying, memory.provider]))
      assert.deepStrictEqual(yield* namesNow, ["dc-us"])
    })
  )

  it.effect("leaves out an offer that cannot be sold and keeps the rest", () =>
    Effect.gen(function* () {
      const { sync } = yield* start(
        datacenter,
        { ...datacenter, name: "The same again" },
        { ...residential, country_code: "Germany" },
        { ...mobile, external_id: "no-option", options: [] },
        { ...mobile, external_id: "nul", name: "a\u0000b" },
        { ...mobile, external_id: "stars-only", options: [{ ...mobile.options[0]!, prices: { USD: null, STAR: 5n } }] },
        { ...mobile, external_id: "located", locations: [{ region: "London", city: "London" }] }
      )
      yield* sync
      const offers = yield* listedNow
      assert.deepStrictEqual(
        offers.map(({ external_id, name }) => [external_id, name]),
        [
          ["dc-us", datacenter.name],
          ["located", mobile.name]
        ]
      )
      assert.deepStrictEqual(offers[1]?.locations, [])
    })
  )

  it.effect("unlists the offers of a provider that is switched off", () =>
    Effect.gen(function* () {
      const first = yield* start(datacenter)
      yield* first.sync
      const other = MemoryProvider.make({ name: "other", offers: [mobile] })
      yield* Effect.provideService(CatalogSync.run, Providers, Providers.from([other.provider]))
      assert.deepStrictEqual(yield* namesNow, ["mobile-gb"])
    })
  )

  it.effect("makes one change and no duplicate when several instances sync simultaneously", () =>
    Effect.gen(function* () {
      const { sync } = yield* start(datacenter, residential, mobile)
      const version = yield* versionNow
      yield* Effect.all([sync, sync, sync, sync], { concurrency: "unbounded", discard: true })
      assert.strictEqual(yield* versionNow, version + 1n)
      assert.deepStrictEqual(yield* namesNow, ["dc-us", "isp-de", "mobile-gb"])
    })
  )

  /** A second instance of the service on the same database. */
  const anotherInstance = Layer.build(Layer.fresh(Catalog.layer)).pipe(
    Effect.provide(NodeCrypto.layer),
    Effect.map((context) => Context.get(context, Catalog))
  )

  /** Waits in real time, because the event comes from the database. */
  const eventually = Effect.fnUntraced(function* (happened: Effect.Effect<boolean>) {
    while (!(yield* happened)) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    }
  })

  it.effect("notifies another instance of a change", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter)
      const other = yield* anotherInstance
      yield* sync
      const { id } = (yield* listedNow)[0]!
      yield* eventually(Effect.isSuccess(other.offer(id)))
      memory.setOffers([mobile])
      yield* sync
      yield* eventually(Effect.isFailure(other.offer(id)))
    })
  )

  it.effect("makes an instance that lost its connection listen again and load the missed change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sync } = yield* start(datacenter)
      const other = yield* anotherInstance
      const listeners = sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'
      `.pipe(Effect.orDie)
      yield* eventually(Effect.map(listeners, ({ length }) => length === 2))
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`
      yield* eventually(Effect.map(listeners, ({ length }) => length === 0))
      yield* sync
      const { id } = (yield* listedNow)[0]!
      yield* eventually(Effect.andThen(TestClock.adjust("100 millis"), Effect.isSuccess(other.offer(id))))
    })
  )

  it.effect("accepts all offers of the built-in gateway", () =>
    Effect.gen(function* () {
      yield* start()
      const gateway = yield* Providers
      yield* GatewayShop.apply(GatewayShop.demo.shop)
      yield* CatalogSync.run
      const offered = yield* gateway.get("gateway")!.offers
      assert.deepStrictEqual(yield* namesNow, offered.map(({ external_id }) => external_id).toSorted())
      assert.isAbove(offered.length, 0)
    }).pipe(Effect.provide([Shop.layer, Layer.provide(ConfiguredProviders.layer, NodeHttpClient.layerNodeHttp)]))
  )

  it.effect("shows within seconds that a provider's stock ran out or came back", () =>
    Effect.gen(function* () {
      const { memory } = yield* start(datacenter)
      yield* Layer.build(Layer.provide(CatalogSync.layerNoDeps, Providers.layerOf(memory.provider)))
      const shows = Effect.fnUntraced(function* (is_available: boolean) {
        for (let seconds = 0; seconds < 250; seconds++) {
          if ((yield* listedNow)[0]?.is_available === is_available) return
          yield* TestClock.adjust("1 second")
          yield* settled
        }
        assert.fail(`is_available stays ${!is_available}`)
      })
      yield* shows(true)
      memory.setOffers([{ ...datacenter, is_available: false }])
      memory.setStock(0)
      yield* shows(false)
      memory.setOffers([datacenter])
      memory.setStock(3)
      yield* shows(true)
    })
  )

  it.effect("runs immediately and then at every interval", () =>
    Effect.gen(function* () {
      const { memory } = yield* start(datacenter)
      const rounds = yield* Ref.make(0)
      const job = CatalogSync.layerNoDeps.pipe(
        Layer.provide(Providers.layerOf(memory.provider)),
        Layer.provide(
          Layer.mock(CatalogWriter)({
            changing: (change) => change,
            unlistOthers: () => Effect.succeed(0),
            replace: () => Effect.succeed(0)
          })
        ),
        Layer.provide(Layer.mock(Catalog)({ refresh: Ref.update(rounds, (n) => n + 1) }))
      )
      yield* Layer.build(job)
      const reaches = (count: number) => Effect.map(Ref.get(rounds), (made) => made >= count)
      yield* eventually(reaches(1))
      // The job begins to wait some time after its first round.
      yield* eventually(Effect.andThen(TestClock.adjust("5 minutes"), reaches(2)))
    })
  )
})
