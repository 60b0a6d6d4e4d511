import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Idempotency } from "../../../src/idempotency/Idempotency.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { endlessSleeps } from "../../support/EndlessSleeps.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { settled } from "../../support/Settled.ts"

const countOrders = (user: string) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM proxy_order WHERE user_id = ${user}`
    ),
    ([row]) => row?.n
  )

layer(Testing.layer, { excludeTestServices: true })("OrderPlacement", (it) => {
  it.effect("charges the wallet and provisions the proxy", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { orders } = yield* (yield* OrderPlacement).place(caller, yield* Testing.request(), undefined)
      const [order] = orders
      assert.strictEqual(order?.status, "provisioned")
      assert.strictEqual(order?.proxy_access[0]?.status, "active")
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 8_500_000n)
    })
  )

  it.effect("sells mobile rotating offers by tariff", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const body = yield* Testing.request({ offer_id: yield* Testing.offerId("Mobile"), tarification_index: 1 })
      const { orders } = yield* (yield* OrderPlacement).place(caller, body, undefined)
      assert.deepStrictEqual([orders[0]?.status, orders[0]?.period_days, orders[0]?.total_usd], ["provisioned", 7, 9])
    })
  )

  it.effect("makes one order and one charge for 20 simultaneous requests with one key", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const memory = yield* MemoryProvider
      memory.next({ after: "300 millis" })
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      const placed = yield* Effect.all(
        Array.from({ length: 20 }, () => placement.place(caller, body, "one-key")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(placed.map(({ orders }) => orders[0]?.id)).size, 1)
      assert.strictEqual(new Set(placed.map(({ orders }) => JSON.stringify(orders))).size, 1)
      assert.strictEqual(placed.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(yield* countOrders(caller.user_id), 1)
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 8_500_000n)
    })
  )

  it.effect("makes exactly 5 orders when 40 simultaneous requests share a wallet that can pay for 5", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(7_500_000n)
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      const placed = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => Effect.result(placement.place(caller, body, `key-${n}`))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(placed.filter(Result.isSuccess).length, 5)
      const claims = yield* SqlClient.SqlClient.use(
        (sql) => sql`SELECT key FROM idempotency_key WHERE user_id = ${caller.user_id}`
      )
      assert.lengthOf(claims, 5)
      assert.strictEqual(yield* countOrders(caller.user_id), 5)
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 0n)
    })
  )

  it.effect("sells no more than the stock of the provider, even if the catalog shows more", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const { setStock } = yield* MemoryProvider
      const { place, quote } = yield* OrderPlacement
      const both = yield* Testing.request({ quantity: 2 })
      setStock(1)
      const short = yield* Effect.flip(place(caller, both, undefined))
      assert.deepInclude(short, {
        _tag: "OfferOutOfStock",
        detail: "Only 1 left of this offer; order at most this number"
      })
      assert.strictEqual((yield* Effect.flip(quote(caller, both)))._tag, "OfferOutOfStock")
      yield* place(caller, yield* Testing.request(), undefined)
      setStock(0)
      const none = yield* Effect.flip(place(caller, yield* Testing.request(), undefined))
      assert.deepInclude(none, {
        _tag: "OfferOutOfStock",
        detail: "The offer is out of stock; see is_available in the catalog"
      })
      assert.strictEqual(yield* countOrders(caller.user_id), 1)
      setStock(Infinity)
    })
  )

  it.effect("creates all orders of a request or none", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(3_000_000n)
      const placement = yield* OrderPlacement
      const error = yield* Effect.flip(placement.place(caller, yield* Testing.request({ quantity: 3 }), "k"))
      assert.deepStrictEqual(error._tag === "InsufficientBalance" && error.details, {
        reason: "insufficient_balance",
        required: "4.50",
        balance: "3.00",
        currency: "USD"
      })
      assert.strictEqual(yield* countOrders(caller.user_id), 0)
      const { orders } = yield* placement.place(caller, yield* Testing.request({ quantity: 2 }), "k")
      assert.deepStrictEqual(
        orders.map(({ status }) => status),
        ["provisioned", "provisioned"]
      )
    })
  )

  it.effect("makes one order for one key that arrives with two credentials, one of them limited", () =>
    Effect.gen(function* () {
      const free = yield* Testing.buyer(10_000_000n)
      const credential = { _tag: "api_key" as const, api_key_id: randomUUID(), scopes: null }
      const limited = { user_id: free.user_id, credential: { ...credential, daily_spend_limit_usd: 5_000_000n } }
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      const placed = yield* Effect.all(
        Array.from({ length: 32 }, (_, n) => placement.place(n % 2 === 0 ? free : limited, body, "shared")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(placed.map(({ orders }) => JSON.stringify(orders))).size, 1)
      assert.strictEqual(yield* countOrders(free.user_id), 1)
      assert.strictEqual(yield* Testing.balanceOf(free.user_id), 8_500_000n)
    })
  )

  it.effect("frees the key of a request that the wallet cannot pay, for another request with the same key", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(45_000_000n)
      const placement = yield* OrderPlacement
      const [dear, cheap] = [yield* Testing.request({ quantity: 90 }), yield* Testing.request()]
      const pairs = Array.from({ length: 30 }, (_, n) => {
        const place = (request: typeof cheap, millis: number) =>
          Effect.delay(Effect.result(placement.place(caller, request, `pair-${n}`)), millis)
        // The delays vary which of the two comes first; any order is right.
        return Effect.all([place(dear, 0), place(cheap, n % 8)], { concurrency: 2 })
      })
      const placed = yield* Effect.all(pairs, { concurrency: 4 })
      assert.isTrue(placed.every(([dear, cheap]) => Result.isFailure(dear) && Result.isSuccess(cheap)))
    })
  )

  it.effect("refuses a different request with a used key, and replays the stored answer for the same request", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(10_000_000n)
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      const first = yield* placement.place(caller, body, "reused")
      const again = yield* placement.place(caller, body, "reused")
      assert.deepStrictEqual(again, { orders: first.orders, replayed: true })
      const error = yield* Effect.flip(placement.place(caller, { ...body, quantity: 2 }, "reused"))
      assert.strictEqual(error._tag, "IdempotencyKeyReused")
      const other = yield* Testing.buyer(10_000_000n)
      assert.isFalse((yield* placement.place(other, body, "reused")).replayed)
    })
  )

  it.effect("ends a request whose key other requests always take first and then free", () =>
    Effect.gen(function* () {
      const { user_id } = yield* Testing.buyer(10_000_000n)
      const credential = { _tag: "api_key" as const, api_key_id: randomUUID(), scopes: null }
      const caller = { user_id, credential: { ...credential, daily_spend_limit_usd: 5_000_000n } }
      const idempotency = yield* Idempotency
      let claims = 0
      const contested = Layer.succeed(Idempotency, {
        ...idempotency,
        find: () => Effect.succeedNone,
        claim: (request) => (++claims < 30 ? Effect.succeed(false) : idempotency.claim(request))
      })
      const services = yield* Layer.build(Layer.fresh(Layer.provide(OrderPlacement.layer, contested)))
      const { place } = Context.get(services, OrderPlacement)
      const error = yield* Effect.flip(place(caller, yield* Testing.request(), "contested"))
      assert.strictEqual(error._tag, "RequestStillRunning")
      assert.strictEqual(yield* countOrders(user_id), 0)
      assert.strictEqual(yield* Testing.balanceOf(user_id), 10_000_000n)
    })
  )

  it.effect("returns the money immediately when the provider refuses", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(2_000_000n)
      const memory = yield* MemoryProvider
      memory.next("refuse")
      const { orders } = yield* (yield* OrderPlacement).place(caller, yield* Testing.request(), undefined)
      assert.deepStrictEqual([orders[0]?.status, orders[0]?.proxy_access], ["refunded", []])
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 2_000_000n)
    })
  )

  it.effect("leaves an order `paid` when the outcome at the provider is unknown", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(2_000_000n)
      const memory = yield* MemoryProvider
      memory.next("time_out")
      const { orders } = yield* (yield* OrderPlacement).place(caller, yield* Testing.request(), undefined)
      assert.strictEqual(orders[0]?.status, "paid")
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 500_000n)
    })
  )

  it.effect("stores the order and the answer under the key of a client that disconnects", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(2_000_000n)
      const memory = yield* MemoryProvider
      memory.next("hang")
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      // The service waits ten seconds for the provider, here without end; it does not wait for a client that leaves.
      const clock = endlessSleeps((seconds) => seconds === 10)
      const request = yield* Effect.forkChild(
        Effect.provideService(placement.place(caller, body, "left"), Clock.Clock, clock)
      )
      yield* settled
      yield* Fiber.interrupt(request)
      const again = yield* placement.place(caller, body, "left")
      assert.deepStrictEqual([again.replayed, again.orders[0]?.status], [true, "paid"])
      assert.strictEqual(yield* countOrders(caller.user_id), 1)
      assert.strictEqual(yield* Testing.balanceOf(caller.user_id), 500_000n)
    })
  )

  it.effect("enforces the daily limit of a key", () =>
    Effect.gen(function* () {
      const { user_id } = yield* Testing.buyer(10_000_000n)
      const api_key_id = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
      const caller = {
        user_id,
        credential: { _tag: "api_key" as const, api_key_id, scopes: null, daily_spend_limit_usd: 4_000_000n }
      }
      const placement = yield* OrderPlacement
      const body = yield* Testing.request()
      const placed = yield* Effect.all(
        Array.from({ length: 6 }, () => Effect.result(placement.place(caller, body, undefined))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(placed.filter(Result.isSuccess).length, 2)
      assert.deepStrictEqual(
        placed.flatMap((result) => (Result.isFailure(result) ? result.failure._tag : [])),
        Array.from({ length: 4 }, () => "DailySpendLimitReached")
      )
    })
  )

  it.effect("quotes without charging", () =>
    Effect.gen(function* () {
      const caller = yield* Testing.buyer(0n)
      const placement = yield* OrderPlacement
      const quote = yield* placement.quote(caller, yield* Testing.request({ quantity: 3 }))
      assert.deepStrictEqual([quote.total, quote.terms.unit_price, quote.quantity], [4_500_000n, 1_500_000n, 3])
    })
  )
})
