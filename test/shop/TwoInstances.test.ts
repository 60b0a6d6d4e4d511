import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { Shop } from "../../src/shop/Shop.ts"
import type { ShopFile } from "../../src/shop/ShopFile.ts"
import { deposit } from "../cli/ReconcileTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as TestApp from "../support/TestApp.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { request } from "../support/TestServer.ts"

const { articles, pools, ...rest } = GatewayShop.demo.shop
const us = articles["datacenter-ipv4-us"]!
const de = articles["datacenter-ipv4-de"]!

/** A shop of one article at this price for a month, and of another one with a single address. */
const shopAt = (usd: bigint): ShopFile => ({
  ...rest,
  pools: {
    "us-datacenter": { ...pools["us-datacenter"]!, exits: "machine" },
    "de-datacenter": { ...pools["de-datacenter"]!, exits: ["203.0.113.9"] }
  },
  articles: {
    "datacenter-ipv4-us": { ...us, periods: [{ ...us.periods[0]!, usd }] },
    "datacenter-ipv4-de": de
  }
})

/** Hears nothing of changes of the catalog: its notifications are under way. Every 10 seconds it reads the catalog anyway. */
const deaf = <A, E>(database: Layer.Layer<A | PgClient.PgClient, E>) =>
  Layer.effect(
    PgClient.PgClient,
    Effect.map(PgClient.PgClient, (sql) => {
      const listen: typeof sql.listen = (channel) =>
        channel === "catalog_changed" ? Queue.unbounded() : sql.listen(channel)
      return new Proxy(sql, { get: (target, name) => (name === "listen" ? listen : Reflect.get(target, name)) })
    })
  ).pipe(Layer.provideMerge(database))

const GATEWAY_PORTS = "27200-27399"

/** Two instances on one database. The second one's catalog is a moment old. */
const instances = Effect.gen(function* () {
  const pool = Database.layerPool(yield* TestDatabase.config)
  const start = (database: typeof pool) =>
    Layer.build(Layer.fresh(Layer.provideMerge(Shop.layer, TestApp.layerOver(database, { GATEWAY_PORTS }))))
  const one = yield* start(pool)
  const apply = (usd: bigint) => Effect.provide(GatewayShop.apply(shopAt(usd)), one)
  yield* apply(1_800_000n)
  return { one, other: yield* start(deaf(pool)), apply }
})

type Instance = Effect.Success<typeof instances>["one"]

const customer = (instance: Instance) =>
  Effect.gen(function* () {
    const user_id = yield* Fixtures.newUser
    yield* deposit(user_id)
    return { user_id, key: (yield* ApiKeys.use((keys) => keys.create(user_id, { name: "key" }))).key }
  }).pipe(Effect.provide(instance))

const send = (instance: Instance, path: string, key: string, body: object) =>
  Effect.provide(request("POST", path, { key, body, headers: { "idempotency-key": randomUUID() } }), instance)

const offerOf = Effect.fnUntraced(function* (instance: Instance, country: string) {
  const { body } = yield* Effect.provide(request("GET", `/v1/catalog?kind=datacenter&country=${country}`), instance)
  return body.kinds[0].offers[0] as { readonly id: number; readonly is_available: boolean }
})

const balanceOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ balance: bigint }>`
    SELECT balance FROM wallet WHERE user_id = ${user_id} AND currency = 'USD'
  `
  return rows[0]?.balance ?? 0n
})

layer(Layer.empty, { excludeTestServices: true })("Two instances on one database", (it) => {
  it.effect(
    "sell at the price that a customer was shown or refuse, while one changes the price and the other has not heard of it",
    () =>
      Effect.gen(function* () {
        const { apply, one, other } = yield* instances
        const offer = yield* offerOf(other, "US")
        const routes = [one, other].flatMap((quoting) => [one, other].map((selling) => [quoting, selling] as const))
        const outcomes: Record<string, number> = {}

        const buy = Effect.fnUntraced(function* (quoting: Instance, selling: Instance, isExact: boolean) {
          const { key, user_id } = yield* customer(quoting)
          const before = yield* Effect.provide(balanceOf(user_id), one)
          const body = { offer_id: offer.id, payment_method: "wallet" }
          const shown = (yield* send(quoting, "/v1/orders/quote", key, body)).body.total as number
          assert.include([1.8, 2.5, 1.2, 3.1], shown)
          yield* Effect.sleep("20 millis")
          const exactly = isExact ? { expected_total: shown } : {}
          const { body: sold, status } = yield* send(selling, "/v1/orders", key, { ...body, ...exactly })
          const spent = Number(before - (yield* Effect.provide(balanceOf(user_id), one))) / 1e6
          const outcome = status === 201 ? "sold" : `${status} ${sold.details?.reason}`
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
          if (status === 201) assert.strictEqual(sold[0].total_usd, spent)
          if (status !== 201) assert.deepStrictEqual([spent, outcome, isExact], [0, "409 price_changed", true])
          else if (isExact) assert.strictEqual(spent, shown)
          // A price that fell meanwhile is paid as it is then.
          else assert.isAtMost(spent, shown)
        })

        for (const usd of [2_500_000n, 1_200_000n, 3_100_000n]) {
          // An instance cannot know a quote of a lower price that it has not heard of: `expected_total` is for that.
          const mayAsk = (quoting: Instance, selling: Instance) => quoting === selling || selling === one
          const orders = routes.flatMap(([quoting, selling]) =>
            [true, !mayAsk(quoting, selling)].flatMap((isExact) => [0, 1].map(() => buy(quoting, selling, isExact)))
          )
          yield* Effect.all([...orders.slice(8), apply(usd), ...orders.slice(0, 8)], { concurrency: 6, discard: true })
        }
        assert.isAbove(outcomes["sold"] ?? 0, 24, JSON.stringify(outcomes))
      }),
    120_000
  )

  it.effect(
    "sell the last address once of 40 simultaneous orders",
    () =>
      Effect.gen(function* () {
        const { one, other } = yield* instances
        const offer = yield* offerOf(other, "DE")
        const customers = yield* Effect.replicateEffect(customer(one), 40)
        const before = yield* Effect.forEach(customers, ({ user_id }) => Effect.provide(balanceOf(user_id), one))
        const body = { offer_id: offer.id, payment_method: "wallet" }
        const outcomes = yield* Effect.forEach(
          customers,
          ({ key }, index) =>
            Effect.map(send(index % 2 === 0 ? one : other, "/v1/orders", key, body), ({ body, status }) =>
              status === 201 ? (body[0].status as string) : `${status} ${body.details?.reason}`
            ),
          { concurrency: 40 }
        )
        assert.lengthOf(
          outcomes.filter((outcome) => outcome === "provisioned"),
          1
        )
        for (const outcome of outcomes) assert.include(["provisioned", "refunded", "409 out_of_stock"], outcome)
        const after = yield* Effect.forEach(customers, ({ user_id }) => Effect.provide(balanceOf(user_id), one))
        const spent = before.map((balance, index) => balance - (after[index] ?? 0n))
        assert.deepStrictEqual(
          spent.filter((amount) => amount !== 0n),
          [de.periods[0]!.usd]
        )
        const open = yield* Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT FROM gateway_proxy WHERE status = 'open'`),
          one
        )
        assert.lengthOf(open, 1)
        assert.isFalse((yield* offerOf(one, "DE")).is_available)
        // The instance with the old catalog refuses what it still shows.
        const [{ key } = { key: "" }] = customers.slice(1)
        const late = yield* send(other, "/v1/orders", key, body)
        assert.include(
          ["409 out_of_stock", "201 refunded"],
          `${late.status} ${late.body.details?.reason ?? late.body[0]?.status}`
        )
      }),
    120_000
  )
})
