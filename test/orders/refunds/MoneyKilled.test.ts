import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import type { OrderRefundId, RefundRequest } from "../../../src/orders/refunds/OrderRefund.ts"
import * as RefundedProxies from "../../../src/orders/refunds/RefundedProxies.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import * as GatewayRefundRounds from "../../../src/wallet/refunds/GatewayRefundRounds.ts"
import { killedAt } from "../../support/KilledAt.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { credit, person } from "../../wallet/adjustments/MoneyTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

const { asked, ledger } = RefundTesting

/** The jobs of another instance, which sees an answer to everything. */
const afterwards = Effect.forEach(
  Array.from({ length: 4 }),
  () =>
    Effect.andThen(
      TestClock.adjust("3 minutes"),
      Effect.all([GatewayRefundRounds.run, RefundedProxies.run], { discard: true })
    ),
  { discard: true }
)

/** A card buyer with a proxy for 1.50 dollars. */
const bought = Effect.gen(function* () {
  const { caller, user } = yield* RefundTesting.cardBuyer
  const request = yield* OrderTesting.request()
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return { id: OrderId.make(orders[0]?.id ?? ""), user }
})

const refunded = Effect.fnUntraced(function* (request: RefundRequest) {
  const refunds = yield* OrderRefunds
  const { record } = yield* refunds.create(person("owner"), request)
  yield* refunds.finish(record.id)
})

/** The outcome of a refund: nothing at all, or everything. */
const outcomeOf = Effect.fnUntraced(function* (id: OrderRefundId) {
  const sql = yield* SqlClient.SqlClient
  const records = yield* sql<{ status: string; release_at: Date | null }>`
    SELECT status, release_at FROM order_refund WHERE id = ${id}`
  const paidBack = yield* sql<{ id: string; status: string }>`
    SELECT id, status FROM gateway_refund WHERE order_refund_id = ${id}`
  return { isBooked: records.length === 1, records, paidBack }
})

layer(RefundTesting.layer)("A refund whose process is killed between any two statements", (it) => {
  it.effect(
    "to the card is nothing, or is booked and paid back once",
    () =>
      Effect.gen(function* () {
        const { refunds: gateway } = yield* MemoryPaymentGateways
        const seen = { nothing: 0, booked: 0 }
        for (let last = 1; last < 100; last++) {
          const { id, user } = yield* bought
          const request = asked(id, { amount: 1_000_000n, destination: "gateway" })
          const wasKilled = yield* killedAt(refunded(request), last)
          yield* afterwards
          const { isBooked, paidBack } = yield* outcomeOf(request.id)
          const { balance, entries } = yield* ledger(user)
          assert.strictEqual(balance, 23_500_000n, `killed at statement ${last}`)
          assert.lengthOf(entries, isBooked ? 4 : 2, `killed at statement ${last}`)
          assert.deepStrictEqual(
            paidBack.map(({ status }) => status),
            isBooked ? ["succeeded"] : []
          )
          for (const one of paidBack) assert.isTrue(gateway.made.has(one.id))
          seen[isBooked ? "booked" : "nothing"] += 1
          // The same request finishes what was not made.
          yield* refunded(request)
          assert.isTrue((yield* outcomeOf(request.id)).isBooked)
          if (!wasKilled) break
        }
        assert.isAbove(seen.nothing, 10)
        assert.isAbove(seen.booked, 3)
      }),
    120_000
  )

  it.effect(
    "as a whole is nothing, or the order is refunded and its proxy ends",
    () =>
      Effect.gen(function* () {
        const provider = yield* MemoryProvider
        let booked = 0
        for (let last = 1; last < 100; last++) {
          const { id, user } = yield* bought
          const request = asked(id, { kind: "whole" })
          const wasKilled = yield* killedAt(refunded(request), last)
          yield* afterwards
          const { isBooked, records } = yield* outcomeOf(request.id)
          assert.strictEqual((yield* ledger(user)).balance, isBooked ? 25_000_000n : 23_500_000n)
          assert.strictEqual(provider.leases.get(id)?.released, isBooked, `killed at statement ${last}`)
          if (isBooked) assert.isNull(records[0]?.release_at)
          booked += isBooked ? 1 : 0
          if (!wasKilled) break
        }
        assert.isAbove(booked, 1)
      }),
    120_000
  )

  it.effect(
    "as a credit is nothing, or is in the wallet once",
    () =>
      Effect.gen(function* () {
        const adjustments = yield* Adjustments
        for (let last = 1; last < 60; last++) {
          const { user_id } = yield* OrderTesting.buyer(1_000_000n)
          const [actor, request] = [person("support"), credit(user_id)]
          const wasKilled = yield* killedAt(adjustments.create(actor, request), last)
          assert.strictEqual((yield* ledger(user_id)).balance, wasKilled ? 1_000_000n : 6_000_000n)
          yield* adjustments.create(actor, request)
          assert.strictEqual((yield* ledger(user_id)).balance, 6_000_000n)
          if (!wasKilled) return assert.isAbove(last, 5)
        }
      }),
    60_000
  )
})
