import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AuthLimits } from "../../../src/accounts/AuthLimits.ts"
import { RequestValidation } from "../../../src/http/RequestValidation.ts"
import { PaymentCallbacksApi } from "../../../src/wallet/payments/PaymentCallbacksApi.ts"
import * as PaymentCallbacksHttp from "../../../src/wallet/payments/PaymentCallbacksHttp.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as OrderRoutes from "../../support/OrderRoutes.ts"
import * as Testing from "../../support/OrderTesting.ts"
import * as TestServer from "../../support/TestServer.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"

const api = OrderRoutes.groups.add(PaymentCallbacksApi).middleware(RequestValidation).prefix("/v1")

const server = TestServer.layerOf(api, Layer.merge(OrderRoutes.handlers, PaymentCallbacksHttp.layer)).pipe(
  Layer.provide(Layer.mock(AuthLimits)({ address: () => Effect.void })),
  Layer.provideMerge([Testing.layer, PromoCodeRegistry.layer.pipe(Layer.provide(Testing.layer))])
)

const call = TestServer.request

/** A user without money who orders the datacenter offer: 1.50 USD or 75 stars a month. */
const buyer = Effect.gen(function* () {
  const { user_id: user } = yield* Testing.buyer(0n)
  const offer_id = yield* Testing.offerId("Datacenter")
  const send = (path: string, fields: object, headers: Record<string, string> = {}) =>
    call("POST", path, { user, headers, body: { offer_id, payment_method: "card_gateway", ...fields } })
  return {
    user,
    offer_id,
    order: (fields: object = {}, headers?: Record<string, string>) => send("/v1/orders", fields, headers),
    quote: (fields: object = {}) => send("/v1/orders/quote", fields),
    total: Effect.map(call("GET", "/v1/orders", { user }), ({ body }) => body.total)
  }
})

const where = ({ body, status }: { readonly status: number; readonly body: any }): ReadonlyArray<unknown> => [
  status,
  body.code,
  body.details?.reason ?? body.detail[0]?.loc?.join(".")
]

layer(server, { excludeTestServices: true })("Orders paid from outside, over the API", (it) => {
  it.effect("answer the payment page, and are paid by the gateway's call", () =>
    Effect.gen(function* () {
      const { order, user } = yield* buyer
      const created = yield* order({ quantity: 2, payment_method: "crypto_gateway" })
      assert.strictEqual(created.status, 201)
      const [first, second] = created.body
      const { payment_intent_id } = first.payment_info
      assert.deepStrictEqual(first.payment_info, {
        payment_method: "crypto_gateway",
        payment_intent_id,
        payment_url: `https://gateway.test/${payment_intent_id}`
      })
      assert.deepStrictEqual(
        [first.status, first.proxy_access, first.quantity, first.total_usd],
        ["waiting_payment", [], 1, 1.5]
      )
      assert.deepStrictEqual(second, { ...first, id: second.id })
      const fetched = yield* call("GET", `/v1/orders/${first.id}`, { user })
      assert.deepStrictEqual(fetched.body, first)
      const paid = (yield* MemoryPaymentGateways).pay(payment_intent_id)
      const body = new TextDecoder().decode(paid.body)
      const report = (headers: Record<string, string>) =>
        call("POST", "/v1/payments/callbacks/crypto_gateway", { headers, body })
      const unsigned = yield* report({})
      assert.deepStrictEqual([unsigned.status, unsigned.body.code], [401, "UNAUTHORIZED"])
      assert.strictEqual((yield* report(paid.headers)).status, 200)
      assert.strictEqual((yield* call("GET", `/v1/orders/${first.id}`, { user })).body.status, "paid")
    })
  )

  it.effect("replay their answer with the same payment page for a repeated key", () =>
    Effect.gen(function* () {
      const { order, total } = yield* buyer
      const idempotency_key = randomUUID()
      const first = yield* order({ idempotency_key })
      const again = yield* order({ idempotency_key, payment_currency: "USD" })
      assert.deepStrictEqual([again.status, again.body], [201, first.body])
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.deepStrictEqual(where(yield* order({ idempotency_key, quantity: 2 })), [
        409,
        "CONFLICT",
        "idempotency_key_reused"
      ])
      assert.strictEqual(yield* total, 1)
    })
  )

  it.effect.each([
    ["stars for a card", { payment_currency: "STAR" }, [422, "VALIDATION_ERROR", "body.payment_currency"]],
    [
      "dollars for messenger stars",
      { payment_method: "messenger_stars", payment_currency: "USD" },
      [422, "VALIDATION_ERROR", "body.payment_currency"]
    ],
    ["an unknown method", { payment_method: "cash" }, [422, "VALIDATION_ERROR", "body.payment_method"]],
    ["an unknown promo code", { promo_code: "NOBODY-KNOWS" }, [422, "VALIDATION_ERROR", "body.promo_code"]],
    ["a promo code that cannot be stored", { promo_code: "A\u0000" }, [422, "VALIDATION_ERROR", "body.promo_code"]],
    ["no proxy", { quantity: 0 }, [422, "VALIDATION_ERROR", "body.quantity"]],
    ["more than 100 proxies", { quantity: 101 }, [422, "VALIDATION_ERROR", "body.quantity"]],
    ["another country", { country: "DE" }, [400, "BAD_REQUEST", undefined]],
    ["an unknown offer", { offer_id: 999_999 }, [404, "NOT_FOUND", undefined]]
  ] as const)("are neither created nor quoted for %s", ([, fields, answer]) =>
    Effect.gen(function* () {
      const { order, quote, total } = yield* buyer
      assert.deepStrictEqual(where(yield* order(fields)), answer)
      assert.deepStrictEqual(where(yield* quote(fields)), answer)
      assert.strictEqual(yield* total, 0)
    })
  )

  it.effect("are not created while the gateway is down; a retry with the same key works later", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { order, total } = yield* buyer
      const headers = { "idempotency-key": "once more" }
      gateways.setDown(true)
      const refused = yield* order({}, headers)
      gateways.setDown(false)
      assert.deepStrictEqual(where(refused), [503, "SERVICE_UNAVAILABLE", undefined])
      assert.strictEqual(yield* total, 0)
      const made = yield* order({}, headers)
      assert.deepStrictEqual([made.status, made.headers["idempotency-replayed"]], [201, undefined])
    })
  )

  it.effect("are not created below the minimum of the gateway; the fault names the payment method", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { order, total } = yield* buyer
      gateways.setMinimum(3_000_000n)
      const refused = yield* order()
      const made = yield* order({ quantity: 2 })
      gateways.setMinimum(0n)
      assert.deepStrictEqual(where(refused), [422, "VALIDATION_ERROR", "body.payment_method"])
      assert.strictEqual(refused.body.detail[0].msg, "card_gateway takes at least 3.00 USD")
      assert.deepStrictEqual([made.status, yield* total], [201, 2])
    })
  )

  it.effect("are not created while 20 payments are open; a retry with the same key works later", () =>
    Effect.gen(function* () {
      const { order, total, user } = yield* buyer
      const headers = { "idempotency-key": "when there is room" }
      const waiting = yield* Effect.replicateEffect(order(), 20)
      assert.deepStrictEqual(where(yield* order({}, headers)), [409, "CONFLICT", "too_many_open_payments"])
      assert.strictEqual(yield* total, 20)
      yield* call("POST", `/v1/orders/${waiting[0]?.body[0].id}/cancel`, { user })
      assert.strictEqual((yield* order({}, headers)).status, 201)
    })
  )

  it.effect("can be a hundred orders with one payment", () =>
    Effect.gen(function* () {
      const { order, total } = yield* buyer
      const made = yield* order({ quantity: 100, payment_method: "messenger_stars" })
      assert.strictEqual(new Set(made.body.map(({ payment_info }: any) => payment_info.payment_url)).size, 1)
      assert.strictEqual(yield* total, 100)
    })
  )

  it.effect("cost the quoted price when they use a promo code", () =>
    Effect.gen(function* () {
      const { order, quote } = yield* buyer
      const { code } = yield* newCode()
      const plain = yield* quote({ quantity: 2 })
      assert.deepStrictEqual(
        [plain.status, plain.body.total, plain.body.unit_price, plain.body.discount, plain.body.quantity],
        [200, 3, 1.5, 0, 2]
      )
      const reduced = yield* quote({ quantity: 2, promo_code: code.toLowerCase() })
      assert.deepStrictEqual(
        [reduced.body.total, reduced.body.unit_price, reduced.body.discount, reduced.body.currency],
        [2.4, 1.5, 0.6, "USD"]
      )
      const stars = yield* quote({ payment_method: "messenger_stars", promo_code: code })
      assert.deepStrictEqual([stars.body.total, stars.body.discount, stars.body.currency], [60, 15, "STAR"])
      const made = yield* order({ quantity: 2, promo_code: code })
      assert.deepStrictEqual(
        made.body.map(({ total_usd }: any) => total_usd),
        [1.2, 1.2]
      )
      assert.deepStrictEqual(where(yield* order({ promo_code: code })), [422, "VALIDATION_ERROR", "body.promo_code"])
    })
  )
})

layer(server, { excludeTestServices: true })("POST /orders/{order_id}/cancel", (it) => {
  it.effect("answers the cancelled order to the owner and to keys with `orders:write`", () =>
    Effect.gen(function* () {
      const { order, user } = yield* buyer
      for (const caller of [{ user }, { key: user }, { key: `${user};orders:write` }]) {
        const [waiting, beside] = (yield* order({ quantity: 2 })).body
        const cancelled = yield* call("POST", `/v1/orders/${waiting.id}/cancel`, caller)
        assert.deepStrictEqual([cancelled.status, cancelled.body], [200, { ...waiting, status: "cancelled" }])
        assert.strictEqual((yield* call("GET", `/v1/orders/${beside.id}`, { user })).body.status, "cancelled")
        const again = yield* call("POST", `/v1/orders/${waiting.id}/cancel`, caller)
        assert.deepStrictEqual(where(again), [400, "BAD_REQUEST", undefined])
      }
    })
  )

  it.effect("refuses other callers, and orders that do not wait", () =>
    Effect.gen(function* () {
      const { order, user } = yield* buyer
      const [waiting] = (yield* order()).body
      const path = `/v1/orders/${waiting.id}/cancel`
      const stranger = (yield* Testing.buyer(10_000_000n)).user_id
      const refused = Effect.fnUntraced(function* (path: string, caller: object) {
        const { body, status } = yield* call("POST", path, caller)
        return [status, body.code]
      })
      assert.deepStrictEqual(yield* refused(path, { user: stranger }), [403, "FORBIDDEN"])
      assert.deepStrictEqual(yield* refused(path, { key: `${user};orders:read` }), [403, "INSUFFICIENT_SCOPE"])
      assert.deepStrictEqual(yield* refused(path, {}), [401, "UNAUTHORIZED"])
      assert.deepStrictEqual(yield* refused(`/v1/orders/${randomUUID()}/cancel`, { user }), [404, "NOT_FOUND"])
      assert.deepStrictEqual(yield* refused("/v1/orders/x/cancel", { user }), [422, "VALIDATION_ERROR"])
      assert.strictEqual((yield* call("GET", `/v1/orders/${waiting.id}`, { user })).body.status, "waiting_payment")
      const offer_id = yield* Testing.offerId("Datacenter")
      const bought = yield* call("POST", "/v1/orders", { user: stranger, body: { offer_id, payment_method: "wallet" } })
      const live = `/v1/orders/${bought.body[0].id}/cancel`
      assert.deepStrictEqual(yield* refused(live, { user: stranger }), [400, "BAD_REQUEST"])
    })
  )
})
