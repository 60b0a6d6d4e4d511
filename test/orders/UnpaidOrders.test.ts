import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderCancellation } from "../../src/orders/OrderCancellation.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { OrderPaymentsRepo } from "../../src/orders/OrderPaymentsRepo.ts"
import { OrderPlacement } from "../../src/orders/OrderPlacement.ts"
import { Orders } from "../../src/orders/Orders.ts"
import * as UnpaidOrderCleanup from "../../src/orders/UnpaidOrderCleanup.ts"
import { Deposits } from "../../src/wallet/Deposits.ts"
import * as Testing from "../support/OrderTesting.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

const run = Effect.provide(UnpaidOrderCleanup.run, OrderPaymentsRepo.layer)

layer(services, { timeout: "60 seconds" })("Orders that are never paid", (it) => {
  it.effect("are 500 a day from an account that orders and cancels for nothing, however it does that", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const placement = yield* OrderPlacement
      const sql = yield* SqlClient.SqlClient
      const caller = yield* Testing.buyer(100_000_000n)
      const place = Effect.fnUntraced(function* (
        quantity: number,
        fields: object = { payment_method: "card_gateway" }
      ) {
        return yield* placement.place(caller, yield* Testing.request({ ...fields, quantity }), undefined)
      })
      const giveUp = Effect.fnUntraced(function* (quantity: number) {
        const { orders } = yield* place(quantity)
        yield* cancel(caller.user_id, OrderId.make(orders[0]?.id ?? ""))
      })
      for (let times = 0; times < 4; times++) yield* giveUp(100)
      const burst = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.exit(giveUp(50))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(burst.filter(({ _tag }) => _tag === "Success").length, 2)
      const refused = yield* Effect.flip(place(1))
      assert.deepInclude(refused, { _tag: "TooManyUnpaidOrders", status: 409 })
      const deposit = { amount: 1_000_000n, currency: "USD", payment_method: "card_gateway" } as const
      const deposited = Deposits.use((deposits) => deposits.create(caller.user_id, deposit))
      assert.strictEqual((yield* Effect.flip(deposited))._tag, "TooManyUnpaidOrders")
      const rows = yield* sql`SELECT id FROM proxy_order WHERE user_id = ${caller.user_id}`
      assert.lengthOf(rows, 500)
      // Whoever pays from the wallet is not concerned.
      yield* place(1, {})
      yield* TestClock.adjust("25 hours")
      yield* place(1)
    })
  )

  it.effect(
    "are removed 30 days after they were cancelled, and from the counts; money that still comes is credited",
    () =>
      Effect.gen(function* () {
        const { cancel } = yield* OrderCancellation
        const sql = yield* SqlClient.SqlClient
        const given = yield* waiting({ quantity: 3 })
        const owner = given.caller.user_id
        yield* cancel(owner, given.ids[0] ?? OrderId.make(""))
        const left = sql`SELECT id FROM proxy_order WHERE user_id = ${owner}`
        const total = Orders.use((orders) => Effect.map(orders.counts(owner, {}), (counts) => counts.total))
        yield* TestClock.adjust("29 days")
        yield* run
        assert.lengthOf(yield* left, 3)
        assert.strictEqual(yield* total, 3)
        yield* TestClock.adjust("2 days")
        yield* run
        assert.lengthOf(yield* left, 0)
        assert.strictEqual(yield* total, 0)
        assert.strictEqual(yield* given.pay(), "credited")
        assert.strictEqual(yield* given.balance, 4_500_000n)
      })
  )

  it.effect("do not take paid ones with them, nor those that wait", () =>
    Effect.gen(function* () {
      const [paid, open] = [yield* waiting(), yield* waiting()]
      yield* paid.pay()
      yield* TestClock.adjust("40 days")
      yield* run
      assert.deepStrictEqual([yield* paid.statuses, yield* open.statuses], [["paid"], ["waiting_payment"]])
    })
  )
})
