import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import type { MoneyActor } from "../../../src/wallet/adjustments/MoneyActor.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { person } from "../../wallet/adjustments/MoneyTesting.ts"
import { proxy } from "../changes/ProxyChangeTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

/** Sets small limits, because an order of the tests costs 1.50 dollars. */
const limited = Effect.fnUntraced(function* (per_action: bigint, per_customer_30d: bigint, per_staff_day: bigint) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE staff_limit SET per_action = ${per_action}, per_customer_30d = ${per_customer_30d}, per_staff_day = ${per_staff_day}
    WHERE role IN ('support', 'finance') AND action IN ('refund_wallet', 'refund_gateway') AND currency = 'USD'
  `
})

const statusOf = Effect.fnUntraced(function* (
  actor: MoneyActor,
  id: OrderId,
  amount: bigint,
  destination: "wallet" | "gateway" = "wallet"
) {
  const refunds = yield* OrderRefunds
  const { record } = yield* refunds.create(actor, RefundTesting.asked(id, { amount, destination }))
  return record.status
})

/** Orders of one customer, 1.50 dollars each. */
const ordersOf = Effect.fnUntraced(function* (quantity: number) {
  const caller = yield* OrderTesting.buyer(100_000_000n)
  const offer_id = yield* OrderTesting.offerId("Datacenter")
  const request = yield* OrderTesting.request({ offer_id, quantity })
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return orders.map(({ id }) => OrderId.make(id))
})

layer(RefundTesting.layer)("The limits of refunds", (it) => {
  it.effect("have sums for support and finance from the start", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT role, (per_action / 1000000)::int AS action, (per_customer_30d / 1000000)::int AS customer,
          (per_staff_day / 1000000)::int AS day
        FROM staff_limit WHERE role <> 'owner' AND action LIKE 'refund%' ORDER BY role DESC, action
      `
      assert.deepStrictEqual(
        [...rows],
        [
          { role: "support", action: 50, customer: 100, day: 300 },
          { role: "finance", action: 500, customer: 2000, day: 5000 },
          { role: "finance", action: 500, customer: 2000, day: 5000 }
        ]
      )
    })
  )

  it.effect("count all refunds of an order as one, to the wallet and to the gateway", () =>
    Effect.gen(function* () {
      yield* limited(1_000_000n, 100_000_000n, 100_000_000n)
      const { id } = yield* proxy("Datacenter")
      assert.strictEqual(yield* statusOf(person("support"), id, 500_000n), "booked")
      assert.strictEqual(yield* statusOf(person("support"), id, 500_000n), "booked")
      assert.strictEqual(yield* statusOf(person("support"), id, 100_000n), "requested")
      assert.strictEqual(yield* statusOf(person("finance"), id, 100_000n, "gateway"), "requested")
      const other = yield* proxy("Datacenter")
      assert.strictEqual(yield* statusOf(person("support"), other.id, 1_000_000n), "booked")
    })
  )

  it.effect("count the refunds of a customer in 30 days, and of a person in a day", () =>
    Effect.gen(function* () {
      yield* limited(1_000_000n, 2_000_000n, 3_000_000n)
      const [one, two, three, four] = yield* ordersOf(4)
      if (one === undefined || two === undefined || three === undefined || four === undefined) return assert.fail()
      const busy = person("support")
      assert.strictEqual(yield* statusOf(busy, one, 1_000_000n), "booked")
      assert.strictEqual(yield* statusOf(person("support"), two, 1_000_000n), "booked")
      assert.strictEqual(yield* statusOf(busy, three, 1_000_000n), "requested")
      const others = yield* Effect.forEach(Arr.range(1, 2), () => proxy("Datacenter"))
      const statuses = yield* Effect.forEach(others, ({ id }) => statusOf(busy, id, 1_000_000n))
      assert.deepStrictEqual(statuses, ["booked", "requested"])
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* statusOf(busy, (yield* proxy("Datacenter")).id, 1_000_000n), "booked")
      assert.strictEqual(yield* statusOf(busy, four, 1_000_000n), "requested")
    })
  )
})
