import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OrderCancellation } from "../../../src/orders/checkout/OrderCancellation.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

const first = <A>([value]: ReadonlyArray<A>) => (value === undefined ? Effect.die("none") : Effect.succeed(value))

layer(services)("Cancelling a waiting order", (it) => {
  it.effect("cancels all orders of its payment; money that still arrives is credited to the wallet", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const order = yield* waiting({ quantity: 3 })
      const cancelled = yield* cancel(order.caller.user_id, yield* first(order.ids))
      assert.deepStrictEqual([cancelled.status, cancelled.proxy_status], ["cancelled", "cancelled"])
      assert.deepStrictEqual(yield* order.statuses, ["cancelled", "cancelled", "cancelled"])
      assert.strictEqual(yield* order.paymentStatus, "failed")
      assert.strictEqual(yield* order.pay(), "credited")
      assert.deepStrictEqual(yield* order.statuses, ["cancelled", "cancelled", "cancelled"])
      assert.strictEqual(yield* order.balance, 4_500_000n)
    })
  )

  it.effect("closes the payment page, and also works when the gateway cannot close it", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const gateways = yield* MemoryPaymentGateways
      const [closed, open] = [yield* waiting(), yield* waiting()]
      yield* cancel(closed.caller.user_id, yield* first(closed.ids))
      gateways.setDown(true)
      const cancelled = cancel(open.caller.user_id, yield* first(open.ids))
      assert.strictEqual((yield* cancelled).status, "cancelled")
      gateways.setDown(false)
      assert.deepStrictEqual(
        gateways.closed.filter((id) => [closed.intent, open.intent].includes(id)),
        [closed.intent]
      )
    })
  )

  it.effect("is refused for an order that does not wait, and for an order of another account", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const placement = yield* OrderPlacement
      const order = yield* waiting()
      const id = yield* first(order.ids)
      const stranger = yield* Testing.buyer(2_000_000n)
      assert.strictEqual((yield* Effect.flip(cancel(stranger.user_id, id)))._tag, "OrderNotYours")
      yield* cancel(order.caller.user_id, id)
      assert.strictEqual((yield* Effect.flip(cancel(order.caller.user_id, id)))._tag, "OrderNotWaiting")
      const { orders } = yield* placement.place(stranger, yield* Testing.request(), undefined)
      const bought = OrderId.make((yield* first(orders)).id)
      assert.strictEqual((yield* Effect.flip(cancel(stranger.user_id, bought)))._tag, "OrderNotWaiting")
      assert.strictEqual(yield* Testing.balanceOf(stranger.user_id), 500_000n)
    })
  )

  it.effect("and paying it at the same moment has one outcome, and loses no money", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const all = yield* Effect.all(Array.from({ length: 12 }, () => waiting({ quantity: 2 })))
      yield* Effect.forEach(
        all,
        ({ caller, ids, pay }) =>
          Effect.all([pay(), ...ids.map((id) => Effect.ignore(cancel(caller.user_id, id)))], {
            concurrency: "unbounded"
          }),
        { concurrency: "unbounded", discard: true }
      )
      for (const { balance, statuses } of all) {
        const both = yield* statuses
        assert.include(["paid,paid", "cancelled,cancelled"], both.join())
        assert.strictEqual(yield* balance, both[0] === "paid" ? 0n : 3_000_000n)
      }
    })
  )

  it.effect("returns the use of a promo code", () =>
    Effect.gen(function* () {
      const { cancel } = yield* OrderCancellation
      const sql = yield* SqlClient.SqlClient
      const { code } = yield* newCode({ use_limit: 1 })
      const order = yield* waiting({ promo_code: code, quantity: 2 })
      const [placed] = yield* order.orders
      assert.deepStrictEqual([placed?.total, placed?.discount], [1_200_000n, 300_000n])
      const placement = yield* OrderPlacement
      const other = yield* Testing.buyer(2_000_000n)
      const request = yield* Testing.request({ promo_code: code })
      assert.strictEqual((yield* Effect.flip(placement.place(other, request, undefined)))._tag, "RequestInvalid")
      yield* cancel(order.caller.user_id, yield* first(order.ids))
      yield* placement.place(other, request, undefined)
      assert.strictEqual(yield* Testing.balanceOf(other.user_id), 800_000n)
      const uses = yield* sql`SELECT FROM promo_code_use WHERE released_at IS NULL AND user_id = ${other.user_id}`
      assert.strictEqual(uses.length, 1)
    })
  )
})
