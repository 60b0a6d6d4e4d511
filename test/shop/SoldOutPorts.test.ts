import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const servicesOn = (ports: string) =>
  Layer.mergeAll(CatalogWriter.layer, GatewayProxies.layer, HeldPortsRepo.layer, Shop.layer).pipe(
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: ports })))
  )

/** One port, which a gateway holds. */
const services = Layer.provideMerge(
  Layer.effectDiscard(HeldPorts.hold({ first: 27_020, last: 27_020 })),
  servicesOn("27020")
)

/** Syncs the offers of the gateway as the catalog sync does. Returns the version and the number of offers in stock. */
const synced = Effect.gen(function* () {
  const { changing, replace } = yield* CatalogWriter
  const { offers } = yield* GatewayProxies
  yield* changing(
    Effect.flatMap(offers, (all) => replace({ name: "gateway", isOwn: true }, all)),
    { fills: true }
  )
  return yield* shown
})

const request = (article: string) => ({
  reference: randomUUID(),
  article,
  protocol: "HTTP" as const,
  limit_bytes: null,
  expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
})

const shown = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: number; available: number }>`
    SELECT version::int AS version, (SELECT count(*)::int FROM offer WHERE listed AND is_available) AS available
    FROM catalog_version
  `
  return row!
})

layer(services)("A change of the shop while all ports are sold", (it) => {
  it.effect("changes the catalog once: its offers stay sold out until a port is free", () =>
    Effect.gen(function* () {
      const { close, open } = yield* GatewayProxies
      const { articles, pools, ...rest } = GatewayShop.demo.shop
      const { "mobile-ipv4-us": mobile, "mobile-ipv4-de": other } = articles
      yield* GatewayShop.apply({ ...rest, pools, articles: { mobile: mobile! } })
      const { id } = yield* open(request("mobile"))
      const { available, version } = yield* synced
      assert.strictEqual(available, 0)

      yield* GatewayShop.apply({ ...rest, pools, articles: { mobile: mobile!, other: other! } })
      assert.deepStrictEqual(yield* shown, { available: 0, version: version + 1 })
      assert.deepStrictEqual(yield* synced, { available: 0, version: version + 1 })

      yield* close(id)
      assert.deepStrictEqual(yield* synced, { available: 2, version: version + 2 })
    })
  )
})

layer(services)("The sale of the last port", (it) => {
  it.effect("shows all articles as sold out in its own transaction, once, and no sync is needed", () =>
    Effect.gen(function* () {
      const { close, knownStock, open } = yield* GatewayProxies
      yield* GatewayShop.apply(GatewayShop.demo.shop)
      const { version } = yield* synced
      const wanted = request("mobile-ipv4-us")
      const { id } = yield* open(wanted)
      assert.deepStrictEqual(yield* shown, { available: 0, version: version + 1 })
      assert.strictEqual(knownStock("datacenter-ipv4-de"), 0)
      assert.strictEqual((yield* open(wanted)).id, id)
      assert.deepStrictEqual(yield* synced, { available: 0, version: version + 1 })
      yield* close(id)
      assert.strictEqual((yield* synced).version, version + 2)
    })
  )
})

layer(servicesOn("27020-27021"))("The sale of the last port that a gateway holds", (it) => {
  it.effect("shows nothing as sold out while the gateway is about to hold more", () =>
    Effect.gen(function* () {
      yield* HeldPorts.hold({ first: 27_020, last: 27_020 }, { refillsAt: 0 })
      yield* GatewayShop.apply(GatewayShop.demo.shop)
      const before = yield* synced
      assert.isAbove(before.available, 0)
      const { open } = yield* GatewayProxies
      yield* open(request("mobile-ipv4-us"))
      assert.deepStrictEqual(yield* shown, before)
      assert.deepStrictEqual(yield* synced, before)
    })
  )
})
