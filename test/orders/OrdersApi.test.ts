import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as OrderRoutes from "../support/OrderRoutes.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice, sell } from "../support/Repricing.ts"
import * as TestServer from "../support/TestServer.ts"

const server = TestServer.layerOf(OrderRoutes.api, OrderRoutes.handlers).pipe(Layer.provideMerge(Testing.layer))

const call = TestServer.request
const rich = Effect.map(Testing.buyer(100_000_000n), ({ user_id }) => user_id)

const faults = ({ body, status }: { status: number; body: any }) => [
  status,
  body.code,
  body.detail.map(({ loc, type }: any) => `${loc.join(".")} ${type}`)
]

layer(server, { excludeTestServices: true })("Orders API", (it) => {
  it.effect("creates orders, answers, lists and counts them", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const offer_id = yield* Testing.offerId("Datacenter")
      const created = yield* call("POST", "/v1/orders", {
        user,
        body: { offer_id, payment_method: "wallet", quantity: 2, notes: "for tests", unknown_field: 1 }
      })
      assert.strictEqual(created.status, 201)
      assert.lengthOf(created.body, 2)
      const [order] = created.body
      assert.deepStrictEqual(Object.keys(order), [
        "id",
        "status",
        "total_usd",
        "proxy_type",
        "ip_version",
        "protocol",
        "country",
        "quantity",
        "period_days",
        "payment_info",
        "proxy_access"
      ])
      assert.deepStrictEqual(Object.keys(order.proxy_access[0]), [
        "id",
        "host",
        "port",
        "username",
        "password",
        "protocol",
        "status",
        "expires_at",
        "whitelisted_ips",
        "bandwidth_total_gb",
        "bandwidth_used_gb"
      ])
      const fetched = yield* call("GET", `/v1/orders/${order.id}`, { key: user })
      assert.strictEqual(fetched.status, 200)
      assert.deepStrictEqual(fetched.body, {
        ...order,
        proxy_access: [{ ...order.proxy_access[0], bandwidth_used_gb: 0 }]
      })

      const listed = yield* call("GET", "/v1/orders?limit=1&proxy_status=active&proxy_type=datacenter", { user })
      assert.strictEqual(listed.status, 200)
      assert.deepStrictEqual(
        [listed.body.total, listed.body.limit, listed.body.offset, listed.body.orders.length],
        [2, 1, 0, 1]
      )
      assert.strictEqual(listed.body.orders[0].notes, "for tests")
      const none = yield* call("GET", "/v1/orders?proxy_status=expired", { user })
      assert.deepStrictEqual([none.body.total, none.body.orders], [0, []])
      const counts = yield* call("GET", "/v1/orders/counts", { user })
      assert.deepStrictEqual(counts.body, { active: 2, expiring: 0, expired: 0, total: 2 })
      const mobile = yield* call("GET", "/v1/orders/counts?proxy_type=mobile", { user })
      assert.deepStrictEqual(mobile.body, { active: 0, expiring: 0, expired: 0, total: 0 })
    })
  )

  it.effect("replays the answer when a key is repeated in the body or in the header", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const key = randomUUID()
      const body = { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
      const send = (extra: object, headers: Record<string, string>) =>
        call("POST", "/v1/orders", { user, body: { ...body, ...extra }, headers })
      const first = yield* send({ idempotency_key: key }, {})
      const again = yield* send({ idempotency_key: key }, {})
      assert.deepStrictEqual([again.status, again.body], [201, first.body])
      assert.deepStrictEqual(
        [first.headers["idempotency-replayed"], again.headers["idempotency-replayed"]],
        [undefined, "true"]
      )
      const byHeader = yield* send({}, { "idempotency-key": "any text" })
      assert.deepStrictEqual((yield* send({}, { "idempotency-key": "any text" })).body, byHeader.body)
      const reused = yield* send({ quantity: 2 }, { "idempotency-key": "any text" })
      assert.deepStrictEqual(
        [reused.status, reused.body.code, reused.body.details],
        [409, "CONFLICT", { reason: "idempotency_key_reused" }]
      )
      const nulls = Object.fromEntries(
        ["city", "isp", "notes", "promo_code", "bandwidth_gb", "quantity", "protocol", "idempotency_key"].map(
          (field) => [field, null]
        )
      )
      const withNulls = yield* send(nulls, { "idempotency-key": "any text" })
      assert.deepStrictEqual([withNulls.status, withNulls.body], [201, byHeader.body])
      const both = yield* send({ idempotency_key: key }, { "idempotency-key": "other" })
      assert.deepStrictEqual([both.status, both.body.detail[0].loc], [422, ["body", "idempotency_key"]])
    })
  )

  it.effect("quotes a price in either currency and charges nothing", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const offer_id = yield* Testing.offerId("Datacenter")
      const quote = yield* call("POST", "/v1/orders/quote", {
        user,
        body: { offer_id, payment_method: "wallet", quantity: 2, period_days: 90, payment_currency: "STAR" }
      })
      assert.deepStrictEqual(
        [quote.status, quote.body.total, quote.body.unit_price, quote.body.currency],
        [200, 400, 200, "STAR"]
      )
      assert.deepStrictEqual(quote.body.wallets.map((wallet: any) => [wallet.currency, wallet.balance]).toSorted(), [
        ["STAR", 0],
        ["USD", 100]
      ])
    })
  )

  it.effect("refuses an order whose quoted tariff is another one meanwhile, and charges nothing", () =>
    Effect.gen(function* () {
      const { user_id: user } = yield* Testing.buyer(100_000_000n)
      yield* reprice(100)
      const body = { offer_id: yield* Testing.offerId("Mobile"), payment_method: "wallet", tarification_index: 0 }
      const order = call("POST", "/v1/orders", { user, body, headers: { "idempotency-key": "tariff" } })
      assert.strictEqual((yield* call("POST", "/v1/orders/quote", { user, body })).body.total, 2)
      yield* sell((offer) => ({ ...offer, options: offer.kind === "mobile" ? offer.options.slice(1) : offer.options }))
      const refused = yield* order
      assert.deepStrictEqual([refused.status, refused.body.details], [409, { reason: "offer_changed" }])
      assert.strictEqual(yield* Testing.balanceOf(user), 100_000_000n)
      assert.strictEqual((yield* call("POST", "/v1/orders/quote", { user, body })).body.total, 9)
      assert.strictEqual((yield* order).status, 201)
      yield* reprice(100)
    })
  )

  it.effect("reports the traffic that the provider metered", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const memory = yield* MemoryProvider
      const created = yield* call("POST", "/v1/orders", {
        user,
        body: { offer_id: yield* Testing.offerId("Residential"), payment_method: "wallet" }
      })
      const [order] = created.body
      memory.usage.push({
        provider_proxy_id: order.proxy_access[0].id,
        hour: DateTime.startOf(yield* DateTime.now, "hour"),
        bytes: 1_500_000_000n
      })
      memory.edit(order.id, { used_gb: 1.5 })
      const usage = yield* call("GET", `/v1/orders/${order.id}/traffic-usage?period=last_24h`, { user })
      assert.strictEqual(usage.status, 200)
      assert.deepStrictEqual(usage.body.summary.total_used_gb, 1.5)
      assert.deepStrictEqual(usage.body.points.at(-1).total_limit_gb, 50)
      assert.strictEqual((yield* call("GET", `/v1/orders/${order.id}/traffic-usage`, { user })).body.period, "last_7d")
      const fetched = yield* call("GET", `/v1/orders/${order.id}`, { user })
      assert.strictEqual(fetched.body.proxy_access[0].bandwidth_used_gb, 1.5)
      memory.setDown(true)
      const down = yield* call("GET", `/v1/orders/${order.id}/traffic-usage`, { user })
      const still = yield* call("GET", `/v1/orders/${order.id}`, { user })
      memory.setDown(false)
      assert.deepStrictEqual([down.status, down.body.code], [503, "SERVICE_UNAVAILABLE"])
      assert.deepStrictEqual([still.status, still.body.proxy_access[0].bandwidth_used_gb], [200, null])
    })
  )

  it.effect("refuses other accounts, and keys without the scope", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const stranger = yield* rich
      const body = { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
      const [order] = (yield* call("POST", "/v1/orders", { user, body })).body
      const path = `/v1/orders/${order.id}`
      assert.strictEqual((yield* call("GET", path, { user: stranger })).status, 403)
      assert.strictEqual((yield* call("GET", `${path}/traffic-usage`, { user: stranger })).status, 403)
      assert.strictEqual((yield* call("GET", `/v1/orders/${randomUUID()}`, { user })).status, 404)
      assert.strictEqual((yield* call("GET", "/v1/orders/nonsense", { user })).status, 422)
      assert.strictEqual((yield* call("GET", path)).status, 401)
      const reader = yield* call("POST", "/v1/orders", { key: `${user};orders:read`, body: {} })
      assert.deepStrictEqual(
        [reader.status, reader.body.code, reader.body.details],
        [403, "INSUFFICIENT_SCOPE", { required_scope: "orders:write" }]
      )
      assert.strictEqual((yield* call("GET", path, { key: `${user};orders:read` })).status, 200)
    })
  )

  it.effect("says why an order cannot be created, and creates none", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const poor = (yield* Testing.buyer(0n)).user_id
      const offer_id = yield* Testing.offerId("Datacenter")
      const order = (fields: object, who = user) =>
        Effect.map(
          call("POST", "/v1/orders", { user: who, body: { offer_id, payment_method: "wallet", ...fields } }),
          ({ body, status }) => [status, body.code, body.details?.reason ?? body.detail[0]?.loc?.join(".")]
        )
      assert.deepStrictEqual(yield* order({}, poor), [409, "CONFLICT", "insufficient_balance"])
      assert.deepStrictEqual(yield* order({ offer_id: 999_999 }), [404, "NOT_FOUND", undefined])
      assert.deepStrictEqual(yield* order({ offer_id: 2 ** 40 }), [404, "NOT_FOUND", undefined])
      assert.deepStrictEqual(yield* order({ country: "DE" }), [400, "BAD_REQUEST", undefined])
      assert.deepStrictEqual(yield* order({ period_days: 31 }), [422, "VALIDATION_ERROR", "body.period_days"])
      assert.deepStrictEqual(yield* order({ promo_code: "X" }), [422, "VALIDATION_ERROR", "body.promo_code"])
      assert.deepStrictEqual(yield* order({ notes: "a\u0000b" }), [422, "VALIDATION_ERROR", "body.notes"])
      assert.deepStrictEqual(yield* order({ notes: "\ud800" }), [422, "VALIDATION_ERROR", "body.notes"])
      assert.deepStrictEqual((yield* call("GET", "/v1/orders", { user })).body.total, 0)
    })
  )

  it.effect("names every fault of a request in one answer", () =>
    Effect.gen(function* () {
      const user = yield* rich
      const bad = yield* call("POST", "/v1/orders", {
        user,
        body: { payment_method: "gold", quantity: 0, protocol: 7, auto_renew: "yes" },
        headers: { "idempotency-key": "x".repeat(300) }
      })
      assert.deepStrictEqual(faults(bad), [
        422,
        "VALIDATION_ERROR",
        [
          "header.idempotency-key value_error",
          "body.offer_id missing",
          "body.payment_method value_error",
          "body.protocol value_error",
          "body.quantity value_error",
          "body.auto_renew type_error"
        ]
      ])
      const query = yield* call("GET", "/v1/orders?limit=0&offset=-1&status=lost&proxy_status=x", { user })
      assert.deepStrictEqual(faults(query)[2], [
        "query.limit value_error",
        "query.offset value_error",
        "query.status value_error",
        "query.proxy_status value_error"
      ])
      assert.deepStrictEqual(faults(yield* call("POST", "/v1/orders", { user, body: "{oops" })), [
        422,
        "VALIDATION_ERROR",
        ["body json_invalid"]
      ])
      for (const body of ["", "null", "[]", "7", '"text"'])
        assert.strictEqual((yield* call("POST", "/v1/orders", { user, body })).status, 422, body)
    })
  )
})
