import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import * as GatewayRefundRounds from "../../../src/wallet/refunds/GatewayRefundRounds.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { credit, person } from "../../wallet/adjustments/MoneyTesting.ts"
import { messageOf } from "../../wallet/DatabaseRefusal.ts"
import { claimsOf, disputed, failed, paidBack, reported, rowsOf, succeeded, toCard } from "./CardRefundTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

const { ledger } = RefundTesting

/** A card buyer with a proxy for 1.50 dollars. */
const bought = Effect.gen(function* () {
  const { caller, intent, user } = yield* RefundTesting.cardBuyer
  const request = yield* OrderTesting.request()
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  return { id: OrderId.make(orders[0]?.id ?? ""), user, intent, charge_id: `charge_${intent}` }
})

layer(RefundTesting.layer)("A refund to the card", (it) => {
  it.effect("leaves the wallet, and the gateway is asked once; its own report takes nothing again", () =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { charge_id, id, intent, user } = yield* bought
      const record = yield* paidBack(id, 1_000_000n)
      yield* OrderRefunds.use((refunds) => refunds.finish(record.id))
      const [row] = yield* rowsOf(user)
      assert.deepStrictEqual([row?.status, row?.amount], ["succeeded", 1_000_000n])
      assert.deepStrictEqual(gateway.calls, [row?.id])
      const before = yield* ledger(user)
      assert.deepStrictEqual(before.entries.slice(-2), ["returned 1000000", "gateway_refund -1000000"])
      yield* reported(intent, charge_id, row?.id ?? "", succeeded)
      assert.deepStrictEqual(yield* ledger(user), before)
    })
  )

  it.effect("with a lost answer is unknown, looked up, and never made twice", () =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { id, user } = yield* bought
      gateway.next("answer lost")
      yield* paidBack(id, 1_000_000n)
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "unknown")
      yield* TestClock.adjust("2 minutes")
      yield* GatewayRefundRounds.run
      const [row] = yield* rowsOf(user)
      assert.strictEqual(row?.status, "succeeded")
      assert.lengthOf(
        gateway.calls.filter((one) => one === row?.id),
        1
      )
    })
  )

  it.effect("whose request was lost is made again after the look-up, under the same id", () =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { id, user } = yield* bought
      gateway.next("request lost")
      yield* paidBack(id, 1_000_000n)
      yield* TestClock.adjust("25 hours")
      yield* GatewayRefundRounds.run
      const [row] = yield* rowsOf(user)
      assert.strictEqual(row?.status, "succeeded")
      assert.lengthOf(
        gateway.calls.filter((one) => one === row?.id),
        2
      )
    })
  )

  it.effect("of a process that died before it asked is made by the job", () =>
    Effect.gen(function* () {
      const { id, user } = yield* bought
      yield* OrderRefunds.use((refunds) => refunds.create(person("finance"), toCard(id, 1_000_000n)))
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "booked")
      yield* GatewayRefundRounds.run
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "booked")
      yield* TestClock.adjust("1 minute")
      yield* GatewayRefundRounds.run
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "succeeded")
    })
  )

  it.effect("that the gateway refuses returns to the wallet, and can be sent again", () =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { id, user } = yield* bought
      gateway.next("refuses")
      const record = yield* paidBack(id, 1_500_000n)
      const [row] = yield* rowsOf(user)
      assert.deepStrictEqual([row?.status, row?.failure], ["failed", "charge_disputed"])
      assert.deepStrictEqual((yield* ledger(user)).entries.slice(-2), [
        "gateway_refund -1500000",
        "payout_returned 1500000"
      ])
      const refunds = yield* OrderRefunds
      yield* Effect.all([refunds.again(record.id), refunds.again(record.id)], { concurrency: "unbounded" })
      yield* refunds.finish(record.id)
      assert.deepStrictEqual(
        (yield* rowsOf(user)).map(({ status }) => status),
        ["failed", "succeeded"]
      )
      assert.strictEqual((yield* ledger(user)).balance, 23_500_000n)
    })
  )

  it.effect("that succeeded and fails later returns to the wallet once, in whichever order it is reported", () =>
    Effect.gen(function* () {
      const { charge_id, id, intent, user } = yield* bought
      yield* paidBack(id, 1_000_000n)
      const [row] = yield* rowsOf(user)
      for (const outcome of [failed, succeeded, failed]) yield* reported(intent, charge_id, row?.id ?? "", outcome)
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "failed")
      const { balance, entries } = yield* ledger(user)
      assert.strictEqual(balance, 24_500_000n)
      assert.lengthOf(
        entries.filter((entry) => entry.startsWith("payout_returned")),
        1
      )
    })
  )

  it.effect("counts against its charge: a dispute takes only the rest, and a refund no more than the charge", () =>
    Effect.gen(function* () {
      const { charge_id, id, intent, user } = yield* bought
      yield* paidBack(id, 1_000_000n)
      yield* disputed(intent, charge_id, null)
      assert.strictEqual((yield* ledger(user)).balance, 0n)
      const refused = yield* Effect.exit(
        OrderRefunds.use((refunds) => refunds.create(person("finance"), toCard(id, 500_000n)))
      )
      assert.isTrue(Exit.isFailure(refused))
      assert.strictEqual((yield* ledger(user)).balance, 0n)
    })
  )

  it.effect.each([
    // The charge is 25 dollars, and the refund of 1 dollar counted against it.
    ["the whole charge", null, 0n],
    ["more than the rest", 24_400_000n, 600_000n],
    ["the rest", 24_000_000n, 1_000_000n],
    ["less than the rest", 20_000_000n, 1_000_000n]
  ] as const)("that fails pays for a dispute of %s first, and the wallet gets what is left", ([, claim, left]) =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { charge_id, id, intent, user } = yield* bought
      yield* Fixtures.fund(user, 5_000_000n)
      gateway.next("answer lost")
      const { id: refund } = yield* paidBack(id, 1_000_000n)
      const [row] = yield* rowsOf(user)
      assert.strictEqual(row?.status, "unknown")
      const amount = claim ?? 25_000_000n
      yield* disputed(intent, charge_id, claim)
      const debited = amount > 24_000_000n ? 24_000_000n : amount
      assert.strictEqual((yield* ledger(user)).balance, 28_500_000n - debited)
      for (const outcome of [failed, failed]) yield* reported(intent, charge_id, row?.id ?? "", outcome)
      assert.strictEqual((yield* rowsOf(user))[0]?.status, "failed")
      assert.strictEqual((yield* ledger(user)).balance, 28_500_000n - debited + left)
      assert.deepStrictEqual(yield* claimsOf(charge_id), [amount, amount])
      // What paid for the dispute is not sent to the card again.
      const again = yield* Effect.exit(OrderRefunds.use((refunds) => refunds.again(refund)))
      if (left === 0n) assert.isTrue(Exit.isSuccess(again))
      assert.lengthOf(yield* rowsOf(user), 1)
      yield* disputed(intent, charge_id, claim, "returned")
      assert.strictEqual((yield* ledger(user)).balance, 29_500_000n)
      assert.deepStrictEqual(yield* claimsOf(charge_id), [0n, 0n])
    })
  )

  it.effect("that fails covers a shortfall of the wallet first", () =>
    Effect.gen(function* () {
      const { refunds: gateway } = yield* MemoryPaymentGateways
      const { charge_id, id, intent, user } = yield* bought
      gateway.next("answer lost")
      yield* paidBack(id, 1_000_000n)
      yield* disputed(intent, charge_id, 24_000_000n)
      // The dispute took the last 23.50 dollars.
      yield* reported(intent, charge_id, (yield* rowsOf(user))[0]?.id ?? "", failed)
      assert.strictEqual((yield* ledger(user)).balance, 500_000n)
      assert.deepStrictEqual(yield* claimsOf(charge_id), [24_000_000n, 24_000_000n])
    })
  )

  it.effect("cannot fail in the database against the claims of its charge", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { charge_id, id, intent, user } = yield* bought
      yield* Fixtures.fund(user, 5_000_000n)
      yield* paidBack(id, 1_000_000n)
      const fail = (given_back: bigint, return_id: string | null) => sql`
        UPDATE gateway_refund SET status = 'failed', given_back = ${given_back}, return_id = ${return_id}
        WHERE user_id = ${user}`
      assert.match(messageOf(yield* Effect.flip(fail(0n, null))), /no reversal of its charge claims/)
      assert.match(messageOf(yield* Effect.flip(fail(1n, null))), /gateway_refund_given_back/)
      yield* disputed(intent, charge_id, null)
      assert.match(messageOf(yield* Effect.flip(fail(1n, randomUUID()))), /no reversal of its charge claims/)
    })
  )

  it.effect("never pays out money that was given, nor money without a charge", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const caller = yield* OrderTesting.buyer(0n)
      yield* Adjustments.use((adjustments) => adjustments.create(person("support"), credit(caller.user_id)))
      const request = yield* OrderTesting.request()
      const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
      const given = refunds.create(person("finance"), toCard(OrderId.make(orders[0]?.id ?? ""), 1_000_000n))
      assert.strictEqual((yield* Effect.flip(given))._tag, "MoreThanPaid")
      const rich = yield* OrderTesting.buyer(10_000_000n)
      const other = yield* OrderPlacement.use((placement) => placement.place(rich, request, undefined))
      const chargeless = refunds.create(person("finance"), toCard(OrderId.make(other.orders[0]?.id ?? ""), 1_000_000n))
      assert.strictEqual((yield* Effect.flip(chargeless))._tag, "GatewayCannotRefund")
    })
  )

  it.effect("in 8 parts at once stays within the payment and the charge", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* bought
      const all = yield* Effect.all(
        Arr.makeBy(8, () => Effect.exit(refunds.create(person("finance"), toCard(id, 400_000n)))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter(Exit.isSuccess), 3)
      assert.strictEqual((yield* ledger(user)).balance, 23_500_000n)
    })
  )
})
