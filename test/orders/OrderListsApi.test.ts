import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Fixtures from "../support/Fixtures.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as OrderRoutes from "../support/OrderRoutes.ts"
import * as Testing from "../support/OrderTesting.ts"
import * as TestServer from "../support/TestServer.ts"
import { seed, type SeededOrder, type State, withoutPayments } from "./ListedOrders.ts"

const server = TestServer.layerOf(OrderRoutes.api, OrderRoutes.handlers).pipe(
  Layer.provideMerge(Layer.effectDiscard(withoutPayments).pipe(Layer.provideMerge(Testing.layer)))
)

const get = (path: string, options?: Parameters<typeof TestServer.request>[2]) =>
  TestServer.request("GET", `/v1${path}`, options)

const faults = ({ body, status }: { status: number; body: any }) => [
  status,
  ...(status === 422 ? body.detail.map(({ loc, type }: any) => `${loc.join(".")} ${type}`) : [])
]

type Seeded = readonly [State, SeededOrder["proxy_type"], daysAgo: number]

/** Orders of a new account, created the given numbers of days ago, newest first. */
const account = Effect.fnUntraced(function* (...orders: ReadonlyArray<Seeded>) {
  const user = yield* Fixtures.newUser
  const now = yield* DateTime.now
  const made = yield* seed(
    user,
    orders.map(([state, proxy_type, days]) => ({ state, proxy_type, created_at: DateTime.subtract(now, { days }) }))
  )
  return { user, now, ids: made.map(({ id }) => id) }
})

const meter = Effect.fnUntraced(function* (
  id: string | undefined,
  gb: number,
  hoursAgo: number,
  cycle: { readonly cycle_ended_at?: DateTime.Utc } = {}
) {
  const memory = yield* MemoryProvider
  const hour = DateTime.startOf(DateTime.subtract(yield* DateTime.now, { hours: hoursAgo }), "hour")
  memory.usage.push({ provider_proxy_id: id ?? "", hour, bytes: BigInt(gb * 1e9), ...cycle })
})

const lists = ["/orders", "/orders/counts", "/orders/traffic-usage/summary"]

layer(server, { excludeTestServices: true })("Order lists API", (it) => {
  it.effect("answers the owner and keys with `orders:read` only", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* account(["active", "mobile", 1])
      for (const path of [...lists, `/orders/${ids[0]}/traffic-usage`]) {
        assert.strictEqual((yield* get(path, { user })).status, 200, path)
        assert.strictEqual((yield* get(path, { key: user })).status, 200, path)
        assert.strictEqual((yield* get(path, { key: `${user};orders:read` })).status, 200, path)
        const lesser = yield* get(path, { key: `${user};orders:write,wallet:read` })
        assert.deepStrictEqual(
          [lesser.status, lesser.body.code, lesser.body.details],
          [403, "INSUFFICIENT_SCOPE", { required_scope: "orders:read" }],
          path
        )
        assert.strictEqual((yield* get(path)).status, 401, path)
      }
    })
  )

  it.effect("shows no order of another account", () =>
    Effect.gen(function* () {
      const { ids } = yield* account(["active", "mobile", 1])
      yield* meter(ids[0], 1, 0)
      const stranger = yield* Fixtures.newUser
      assert.deepStrictEqual((yield* get("/orders", { user: stranger })).body, {
        orders: [],
        total: 0,
        limit: 50,
        offset: 0
      })
      assert.deepStrictEqual((yield* get("/orders/counts", { user: stranger })).body, {
        active: 0,
        expiring: 0,
        expired: 0,
        total: 0
      })
      const summary = yield* get("/orders/traffic-usage/summary", { user: stranger })
      assert.strictEqual(summary.body.summary.total_used_gb, 0)
      assert.strictEqual((yield* get(`/orders/${ids[0]}/traffic-usage`, { user: stranger })).status, 403)
      assert.strictEqual((yield* get(`/orders/${randomUUID()}/traffic-usage`, { user: stranger })).status, 404)
    })
  )

  it.effect("pages through the orders, newest first, without calling a provider", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const states = ["active", "expiring", "expired", "cancelled", "waiting_payment"] as const
      const { ids, user } = yield* account(...states.map((state, day): Seeded => [state, "residential", 20 * day]))
      const calls = () => memory.count("get") + memory.count("find") + memory.count("traffic")
      const before = calls()
      const pages: Array<string> = []
      for (let offset = 0; offset < 6; offset += 2) {
        const { body } = yield* get(`/orders?limit=2&offset=${offset}`, { user })
        assert.deepStrictEqual([body.total, body.limit, body.offset], [5, 2, offset])
        pages.push(...body.orders.map(({ id }: any) => id))
      }
      assert.deepStrictEqual(pages, ids)
      const [live] = (yield* get("/orders?limit=1", { user })).body.orders
      assert.deepStrictEqual(
        [live.status, live.proxy_status, live.proxy_access[0].password, live.auto_renew, live.notes],
        ["provisioned", "active", "secret", false, null]
      )
      assert.deepStrictEqual((yield* get("/orders?limit=100&offset=5", { user })).body.orders, [])
      assert.strictEqual((yield* get("/orders?offset=1000000000", { user })).body.total, 5)
      assert.strictEqual(calls(), before)
    })
  )

  it.effect.each([
    ["/orders?limit=1&offset=0", [200]],
    ["/orders?limit=100", [200]],
    ["/orders?limit=0", [422, "query.limit value_error"]],
    ["/orders?limit=101", [422, "query.limit value_error"]],
    ["/orders?limit=1.5&offset=x", [422, "query.limit value_error", "query.offset value_error"]],
    ["/orders?offset=-1", [422, "query.offset value_error"]],
    ["/orders?offset=1000000001", [422, "query.offset value_error"]],
    ["/orders?status=lost&proxy_type=isp", [422, "query.status value_error", "query.proxy_type value_error"]],
    ["/orders?proxy_status=cancelled", [422, "query.proxy_status value_error"]],
    ["/orders?status=%00", [422, "query.status value_error"]],
    ["/orders/counts?proxy_type=mobile", [200]],
    ["/orders/counts?proxy_type=", [422, "query.proxy_type value_error"]],
    ["/orders/traffic-usage/summary?period=last_24h&proxy_type=mobile&proxy_status=expired", [200]],
    ["/orders/traffic-usage/summary?period=last_year", [422, "query.period value_error"]],
    [
      "/orders/traffic-usage/summary?proxy_type=all&proxy_status=pending",
      [422, "query.proxy_type value_error", "query.proxy_status value_error"]
    ],
    ["/orders/traffic-usage", [422, "path.order_id value_error"]],
    ["/orders/summary/traffic-usage", [422, "path.order_id value_error"]]
  ] as const)("%s answers %j", ([path, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(faults(yield* get(path, { user: yield* Fixtures.newUser })), [...expected])
    })
  )

  it.effect("refuses an unknown traffic period", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* account(["active", "mobile", 1])
      const answer = yield* get(`/orders/${ids[0]}/traffic-usage?period=last_90d`, { user })
      assert.deepStrictEqual(faults(answer), [422, "query.period value_error"])
    })
  )

  it.effect("sums the traffic of all proxies, of one kind, or of one status", () =>
    Effect.gen(function* () {
      const { ids, user } = yield* account(
        ["active", "mobile", 3],
        ["expiring", "residential", 29],
        ["expired", "residential", 33],
        ["expired", "residential", 90],
        ["paid", "datacenter", 1]
      )
      yield* Effect.forEach([1, 2, 4, 8], (gb, index) => meter(ids[index], gb, 0))
      yield* meter(ids[1], 16, 24 * 10)
      const used = (query: string) =>
        Effect.map(get(`/orders/traffic-usage/summary?${query}`, { user }), ({ body }) => body.summary.total_used_gb)
      assert.strictEqual(yield* used(""), 7)
      assert.strictEqual(yield* used("period=last_24h"), 3)
      assert.strictEqual(yield* used("period=last_30d"), 23)
      assert.strictEqual(yield* used("proxy_type=residential"), 6)
      assert.strictEqual(yield* used("proxy_type=datacenter"), 0)
      assert.strictEqual(yield* used("proxy_status=expiring"), 2)
      assert.strictEqual(yield* used("proxy_status=active&proxy_type=mobile"), 1)
      const { body } = yield* get("/orders/traffic-usage/summary", { user })
      assert.deepStrictEqual([body.period, body.points.length, body.points.at(-1).used_total_gb], ["last_7d", 7, 23])
      assert.deepStrictEqual(Object.keys(body), ["period", "from_at", "to_at", "summary", "points"])
    })
  )

  it.effect("restarts the counter of an order with each cycle, and adds up the limits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, now, user } = yield* account(["active", "mobile", 6], ["active", "mobile", 6])
      for (const days of [5, 3, 1]) {
        const ended = days === 1 ? {} : { cycle_ended_at: DateTime.subtract(now, { days: days - 1 }) }
        yield* meter(ids[0], 1, days * 24, ended)
      }
      yield* sql`UPDATE proxy_order SET bandwidth_gb = 2.5 WHERE ${sql.in("id", ids)}`
      const { body } = yield* get(`/orders/${ids[0]}/traffic-usage`, { user })
      assert.deepStrictEqual(
        body.points.map(({ used_total_gb }: any) => used_total_gb),
        [0, 1, 0, 1, 0, 1, 1]
      )
      assert.deepStrictEqual([body.summary.total_used_gb, body.points[0].total_limit_gb], [3, 2.5])
      assert.strictEqual((yield* get("/orders/traffic-usage/summary", { user })).body.points[0].total_limit_gb, 5)
    })
  )

  it.effect("answers that traffic is unavailable while the provider is down", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { user } = yield* account(["active", "mobile", 1])
      memory.setDown(true)
      const down = yield* get("/orders/traffic-usage/summary", { user })
      memory.setDown(false)
      assert.deepStrictEqual([down.status, down.body.code], [503, "SERVICE_UNAVAILABLE"])
    })
  )
})
