import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { OrderId } from "../../src/orders/Order.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { UserId } from "../../src/accounts/User.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { connected, soon } from "../oauth/attacks/AttackTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as TestApp from "../support/TestApp.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { request } from "../support/TestServer.ts"
import * as Testing from "./RpcTesting.ts"

/** An app that a person connected with this daily limit in dollars; "" means no limit. The wallet has 100 dollars. */
const app = Effect.fnUntraced(function* (daily_spend_limit_usd: string) {
  const limits = { orders_write: "on", daily_spend_limit_usd }
  const { access_token, account, client } = yield* connected({ scopes: ["catalog:read", "orders:write"] }, limits)
  yield* Fixtures.fund(UserId.make(account.id), 100_000_000n)
  const { body } = yield* request("GET", "/v1/users/me/connections", { user: account.token })
  const [{ id: grant_id }] = body.connections
  const setLimit = (limit: number | null) =>
    request("PATCH", `/v1/users/me/connections/${grant_id}`, {
      user: account.token,
      body: { daily_spend_limit_usd: limit }
    })
  return { account, client, access_token, grant_id: grant_id as string, setLimit }
})

const clientOf = ({ access_token }: { readonly access_token: string }) => Testing.clientOfApp(access_token)

/** An order of one proxy of the first offer on sale whose name contains this. */
const orderOf = Effect.fnUntraced(function* (name: string) {
  const { body } = yield* request("GET", "/v1/catalog")
  const offers: ReadonlyArray<any> = body.kinds.flatMap((kind: any) => kind.offers)
  const offer_id: number = offers.find((offer) => offer.is_available && offer.name.includes(name)).id
  return { offer_id, quantity: 1, payment_method: "wallet" as const, confirm: true }
})

/** 3.50 dollars. */
const order = orderOf("Residential")

const spentBy = Effect.fnUntraced(function* (grant_id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ spent: string | null; orders: number }>`
    SELECT sum(amount_usd)::text AS spent, count(*)::int AS orders FROM wallet_transaction
    WHERE grant_id = ${grant_id} AND api_key_id IS NULL
  `
  return row
})

const reached = (limit: string, spent: string) => ({
  status: 403,
  details: { reason: "daily_spend_limit_reached", limit, spent }
})

layer(Testing.layer, { excludeTestServices: true })("The daily limit of a connected app", (it) => {
  it.effect("refuses an order, an extension and traffic beyond it, and a dry run names it", () =>
    Effect.gen(function* () {
      const limited = yield* app("3,50")
      const tools = yield* clientOf(limited)
      const wanted = yield* order
      const bought: any = yield* tools.create_proxy_order({ ...wanted, idempotency_key: "first" })
      const order_id = OrderId.make(bought.orders[0].id)
      const dry: any = yield* tools.create_proxy_order({ ...wanted, confirm: false, idempotency_key: "next" })
      assert.match(
        dry.next_step,
        /403 daily_spend_limit_reached.* app has spent 3\.50 USD of its daily limit of 3\.50 USD/
      )
      const next = tools.create_proxy_order({ ...wanted, idempotency_key: "next" })
      const extension = tools.extend_proxy_period({ order_id, months: 1, idempotency_key: "month", confirm: true })
      const traffic = tools.buy_proxy_bandwidth({
        order_id,
        bandwidth_gb: 10,
        idempotency_key: "traffic",
        confirm: true
      })
      const purchases: ReadonlyArray<Effect.Effect<unknown, unknown>> = [next, extension, traffic]
      for (const purchase of purchases) assert.deepInclude(yield* Testing.failure(purchase), reached("3.50", "3.50"))
      assert.deepStrictEqual(yield* spentBy(limited.grant_id), { spent: "3500000", orders: 1 })
      assert.deepInclude(
        yield* tools.create_proxy_order({ ...wanted, idempotency_key: "first" }),
        { replayed: true },
        "the answer of a purchase stays"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("may be set, raised and removed later, and counts what the app spent before", () =>
    Effect.gen(function* () {
      const free = yield* app("")
      const tools = yield* clientOf(free)
      const wanted = yield* order
      const buy = (idempotency_key: string) => tools.create_proxy_order({ ...wanted, idempotency_key })
      yield* buy("1")
      assert.strictEqual((yield* free.setLimit(5)).status, 200)
      assert.deepInclude(yield* Testing.failure(buy("2")), reached("5.00", "3.50"))
      yield* free.setLimit(7)
      yield* buy("2")
      assert.deepInclude(yield* Testing.failure(buy("3")), reached("7.00", "7.00"))
      yield* free.setLimit(null)
      yield* buy("3")
      assert.deepStrictEqual(yield* spentBy(free.grant_id), { spent: "10500000", orders: 3 })
    }).pipe(Effect.scoped)
  )

  it.effect("limits one app: another app and the person's keys have their own", () =>
    Effect.gen(function* () {
      const limited = yield* app("0.01")
      const wanted = yield* order
      const tools = yield* clientOf(limited)
      assert.deepInclude(
        yield* Testing.failure(tools.create_proxy_order({ ...wanted, idempotency_key: "app" })),
        reached("0.01", "0.00")
      )
      const key = yield* Testing.keyOf(UserId.make(limited.account.id))
      yield* (yield* Testing.clientOf(key)).create_proxy_order({ ...wanted, idempotency_key: "key" })
      assert.deepStrictEqual(yield* spentBy(limited.grant_id), { spent: null, orders: 0 })
    }).pipe(Effect.scoped)
  )
})

/** Two instances on one database, with their own connections and their own memory. */
const instances = Effect.gen(function* () {
  const pool = Database.layerPool(yield* TestDatabase.config)
  const start = Layer.build(
    Layer.fresh(Layer.provideMerge(Shop.layer, TestApp.layerOver(pool, { GATEWAY_PORTS: "27200-27399" })))
  )
  const one = yield* start
  yield* Effect.provide(GatewayShop.apply(GatewayShop.demo.shop), one)
  return [one, yield* start] as const
})

layer(Layer.empty, { excludeTestServices: true })("The daily limit of a connected app, on two instances", (it) => {
  it.effect("is exact for 20 simultaneous orders, and a change is in force on both", () =>
    Effect.gen(function* () {
      const [one, other] = yield* instances
      const limited = yield* Effect.provide(app("1"), one)
      const wanted = yield* Effect.provide(orderOf(""), one)
      const clients = yield* Effect.forEach([one, other], (instance) => Effect.provide(clientOf(limited), instance))
      const buy = (n: number) => clients[n % 2]!.create_proxy_order({ ...wanted, idempotency_key: `order ${n}` })
      const dry: any = yield* clients[0]!.create_proxy_order({ ...wanted, confirm: false, idempotency_key: "dry" })
      const limit = dry.total * 5.5
      yield* Effect.provide(limited.setLimit(Number(limit.toFixed(2))), one)
      const preview = clients[1]!.create_proxy_order({ ...wanted, confirm: false, idempotency_key: "other" })
      yield* soon(preview, ({ next_step }: any) => !next_step.includes("daily_spend_limit_reached"))
      const placed = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => Effect.result(buy(n)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(placed.filter(Result.isSuccess).length, 5)
      for (const { failure } of placed.filter(Result.isFailure))
        assert.deepInclude((failure as any).details, { reason: "daily_spend_limit_reached" })
      assert.strictEqual((yield* Effect.provide(spentBy(limited.grant_id), one))?.orders, 5)
    }).pipe(Effect.scoped)
  )
})
