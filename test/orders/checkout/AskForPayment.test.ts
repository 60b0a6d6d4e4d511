import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import * as PaymentExpiry from "../../../src/wallet/payments/PaymentExpiry.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"
import { settled } from "../../support/Settled.ts"

/** A customer who orders two proxies by card, and the rows that the order leaves. */
const ordering = Effect.fnUntraced(function* (fields: object = {}) {
  const gateways = yield* MemoryPaymentGateways
  const placement = yield* OrderPlacement
  const sql = yield* SqlClient.SqlClient
  const caller = yield* Testing.buyer(0n)
  const request = yield* Testing.request({ payment_method: "card_gateway", quantity: 2, ...fields })
  const count = (table: string) =>
    Effect.map(
      sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)} WHERE user_id = ${caller.user_id}`,
      ([row]) => row?.n
    )
  return {
    gateways,
    caller,
    place: (key?: string) => placement.place(caller, request, key),
    orders: count("proxy_order"),
    keys: count("idempotency_key"),
    payments: Effect.map(
      sql<{ status: string }>`SELECT status FROM payment_intent WHERE user_id = ${caller.user_id} ORDER BY id`,
      (rows) => rows.map(({ status }) => status)
    )
  }
})

/** Recreates the rows of a process that died after it inserted the orders, before the gateway answered. */
const crashed = Effect.fnUntraced(function* (intent: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET payment_url = NULL WHERE payment_intent_id = ${intent}`
  yield* sql`UPDATE payment_intent SET payment_url = NULL, external_reference = NULL WHERE id = ${intent}`
  yield* sql`UPDATE idempotency_key SET answer = NULL, busy_until = to_timestamp(0)`
})

layer(services)("Asking for the payment of orders", (it) => {
  it.effect("leaves no rows when the gateway is down, and works with the same key when the gateway is back", () =>
    Effect.gen(function* () {
      const { code } = yield* newCode()
      const { gateways, keys, orders, payments, place } = yield* ordering({ promo_code: code })
      gateways.setDown(true)
      assert.strictEqual((yield* Effect.flip(place("again")))._tag, "PaymentMethodUnavailable")
      assert.deepStrictEqual([yield* orders, yield* keys, yield* payments], [0, 0, ["failed"]])
      gateways.setDown(false)
      const { orders: placed, replayed } = yield* place("again")
      assert.deepStrictEqual(
        [replayed, placed.map(({ status }) => status)],
        [false, ["waiting_payment", "waiting_payment"]]
      )
    })
  )

  it.effect("fails when the gateway does not answer within ten seconds", () =>
    Effect.gen(function* () {
      const { gateways, orders, payments, place } = yield* ordering()
      gateways.setHanging("card_gateway", true)
      const placing = yield* Effect.forkChild(Effect.flip(place()))
      yield* settled
      assert.strictEqual(yield* orders, 2)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(placing))._tag, "PaymentMethodUnavailable")
      gateways.setHanging("card_gateway", false)
      assert.deepStrictEqual([yield* orders, yield* payments], [0, ["failed"]])
    })
  )

  it.effect("happens once for 20 simultaneous requests with one key, and gives all of them the same answer", () =>
    Effect.gen(function* () {
      const { orders, payments, place } = yield* ordering()
      const placed = yield* Effect.all(
        Array.from({ length: 20 }, () => place("one-key")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(placed.map(({ orders }) => JSON.stringify(orders))).size, 1)
      assert.strictEqual(placed.filter(({ replayed }) => !replayed).length, 1)
      assert.deepStrictEqual([yield* orders, yield* payments], [2, ["pending"]])
    }).pipe((test) => Effect.raceFirst(test, ticking))
  )

  it.effect("continues after a crash: the same request answers the same payment page, and the payment works", () =>
    Effect.gen(function* () {
      const placement = yield* Testing.otherPlacement
      const order = yield* waiting({}, "crashed")
      yield* crashed(order.intent)
      const again = yield* placement.place(order.caller, order.request, "crashed")
      assert.deepStrictEqual(again, { orders: order.answered, replayed: true })
      assert.strictEqual(yield* order.pay(), "paid")
      assert.deepStrictEqual(yield* order.statuses, ["paid"])
      // The stored answer does not change with the orders.
      assert.deepStrictEqual((yield* placement.place(order.caller, order.request, "crashed")).orders, order.answered)
    })
  )

  it.effect("is not repeated when the process crashes after it stored the gateway's answer", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const placement = yield* Testing.otherPlacement
      const sql = yield* SqlClient.SqlClient
      const order = yield* waiting({}, "nearly")
      yield* sql`UPDATE proxy_order SET payment_url = NULL WHERE payment_intent_id = ${order.intent}`
      yield* sql`UPDATE idempotency_key SET answer = NULL, busy_until = to_timestamp(0)`
      gateways.setDown(true)
      const again = yield* placement.place(order.caller, order.request, "nearly")
      gateways.setDown(false)
      assert.deepStrictEqual(again.orders, order.answered)
    })
  )

  it.effect("ends after an hour when no request continues after a crash", () =>
    Effect.gen(function* () {
      const placement = yield* Testing.otherPlacement
      const order = yield* waiting({}, "left")
      yield* crashed(order.intent)
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* order.statuses, ["cancelled"])
      const { orders } = yield* placement.place(order.caller, order.request, "left")
      assert.deepStrictEqual(
        orders.map(({ payment_info, status }) => [status, payment_info.payment_url]),
        [["cancelled", null]]
      )
    })
  )

  it.effect("does not count against the daily limit of a key, which limits only the wallet", () =>
    Effect.gen(function* () {
      const { user_id } = yield* Testing.buyer(0n)
      const placement = yield* OrderPlacement
      const api_key_id = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
      const credential = { _tag: "api_key" as const, api_key_id, scopes: null, daily_spend_limit_usd: 1n }
      const request = yield* Testing.request({ payment_method: "crypto_gateway" })
      const { orders } = yield* placement.place({ user_id, credential }, request, undefined)
      assert.strictEqual(orders[0]?.status, "waiting_payment")
    })
  )
})

/** Advances virtual time while requests wait for each other. */
const ticking = Effect.forever(Effect.andThen(settled, TestClock.adjust("50 millis")))
