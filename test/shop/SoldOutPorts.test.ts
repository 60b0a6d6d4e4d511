import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(CatalogWriter.layer, GatewayProxies.layer, HeldPorts.layer, Shop.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "27020" })))
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
      const { id } = yield* open({
        reference: randomUUID(),
        article: "mobile",
        protocol: "HTTP",
        limit_bytes: null,
        expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
      })
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
