import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { Providers } from "../../src/provider/Providers.ts"
import * as FirstShop from "../../src/shop/FirstShop.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const env = { GATEWAY_PORTS: "26000-26019", GATEWAY_EXIT_IPS: "US=198.51.100.7|198.51.100.8" }
const configured = ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))

const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, Shop.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(configured)
)

const providers = Providers.layerOf({ ...MemoryProvider.make({ name: "gateway" }).provider, isOwn: true })

/** The start of a service, as far as it concerns the shop. */
const start = (takesRealMoney: boolean, settings = configured) =>
  Effect.scoped(
    Layer.build(
      Layer.fresh(FirstShop.layerIf(Effect.succeed(takesRealMoney))).pipe(Layer.provide([providers, settings]))
    )
  )

/** Applies the demo shop, as a service without real money has it. */
const applyDemo = Effect.gen(function* () {
  yield* Shop.use((shop) => shop.record({ isSelling: true, takesRealMoney: false }))
  yield* GatewayShop.apply(GatewayShop.demo.shop)
})

const forgetShop = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`TRUNCATE gateway_article, exit_address, exit_pool, price_rule, shop_state`
)

const namesOfOffers = Effect.fnUntraced(function* (isOnSale: boolean) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ external_id: string }>`
    SELECT external_id FROM offer WHERE listed = ${isOnSale} AND renewable ORDER BY external_id
  `
  return found.map(({ external_id }) => external_id)
})

const open = (article: string) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article,
      protocol: "HTTP",
      limit_bytes: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )

const idsOfOffers = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ id: number; external_id: string }>`SELECT id, external_id FROM offer ORDER BY id`
)

layer(services)("The first shop of a database", (it) => {
  it.effect("is none while an empty service takes real money", () =>
    Effect.gen(function* () {
      yield* start(true)
      assert.isUndefined(yield* Shop.use(({ exported }) => exported))
      const terms = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT * FROM service_terms`)
      assert.deepStrictEqual(terms, [{ only_row: true, sells_gateway: true, takes_real_money: true }])
      const prices = { ...GatewayShop.demo, is_demo: false, isSelling: true, isPricesOnly: true }
      const { faults } = yield* Effect.flip(Shop.use((shop) => shop.apply(prices)))
      assert.match(faults[0]?.reason ?? "", /apply the whole file/)
    })
  )

  it.effect("of an earlier version keeps its offers and its running proxies, and adopts its exit addresses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { get, rotate } = yield* GatewayProxies
      yield* applyDemo
      const { id } = yield* open("datacenter-ipv4-us")
      const { id: mobile } = yield* open("mobile-ipv4-us")
      // The state that the version before the shop has left.
      yield* sql`UPDATE gateway_proxy SET article = NULL, pool = NULL`
      yield* sql`UPDATE gateway_proxy SET exit_ip = '198.51.100.7' WHERE id = ${id}`
      yield* sql`UPDATE gateway_proxy SET exit_ip = '198.51.100.8' WHERE id = ${mobile}`
      yield* forgetShop
      const offers = yield* idsOfOffers
      const before = [yield* get(id), yield* get(mobile)]
      const { faults } = yield* Effect.flip(GatewayShop.apply(GatewayShop.demo.shop))
      assert.match(faults[0]?.reason ?? "", /start the service once/)

      yield* start(true)
      assert.deepStrictEqual([yield* get(id), yield* get(mobile)], before)
      assert.deepStrictEqual(yield* idsOfOffers, offers)
      assert.deepStrictEqual(yield* namesOfOffers(true), ["datacenter-ipv4-us"])
      const lost = yield* sql`SELECT FROM offer WHERE NOT renewable`
      assert.lengthOf(lost, 0)

      assert.strictEqual((yield* open("datacenter-ipv4-us")).exit_ip, "198.51.100.8")
      assert.strictEqual((yield* Effect.flip(open("datacenter-ipv4-us")))._tag, "GatewayOutOfStock")
      assert.strictEqual((yield* rotate(mobile)).exit_ip, "198.51.100.7")

      const shop = yield* Shop.use(({ exported }) => exported)
      yield* start(true)
      assert.strictEqual(yield* Shop.use(({ exported }) => exported), shop)
      assert.isFalse(yield* Shop.use(({ isDemo }) => isDemo))
    })
  )

  it.effect("of an earlier version without exit addresses sells nothing for real money, and keeps renewals", () =>
    Effect.gen(function* () {
      yield* applyDemo
      const articles = Object.keys(GatewayShop.demo.shop.articles).toSorted()
      assert.deepStrictEqual(yield* namesOfOffers(true), articles)
      yield* forgetShop
      const withoutExits = ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))
      yield* start(true, withoutExits)
      assert.deepStrictEqual([yield* namesOfOffers(true), yield* namesOfOffers(false)], [[], articles])
      yield* forgetShop
      yield* start(false, withoutExits)
      assert.deepStrictEqual(yield* namesOfOffers(true), articles)
      assert.isTrue(yield* Shop.use(({ isDemo }) => isDemo))
    })
  )
})
