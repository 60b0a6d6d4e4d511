import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as PaymentExpiry from "../../../src/wallet/payments/PaymentExpiry.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

const expire = Effect.andThen(TestClock.adjust("60 minutes"), PaymentExpiry.run)

layer(services)("Orders that wait for their payment", (it) => {
  it.effect("are cancelled after 60 minutes and not earlier; late money is credited to the wallet", () =>
    Effect.gen(function* () {
      const { balance, notices, pay, paymentStatus, statuses } = yield* waiting({ quantity: 3 })
      yield* TestClock.adjust("59 minutes")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* statuses, ["waiting_payment", "waiting_payment", "waiting_payment"])
      yield* TestClock.adjust("1 minute")
      yield* Effect.all([PaymentExpiry.run, PaymentExpiry.run], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* statuses, ["cancelled", "cancelled", "cancelled"])
      assert.strictEqual(yield* paymentStatus, "expired")
      assert.strictEqual(yield* pay(), "credited")
      assert.strictEqual(yield* balance, 4_500_000n)
      assert.deepStrictEqual(yield* notices, ["deposit_credited"])
    })
  )

  it.effect("are provisioned even if the gateway's call was lost", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const early = yield* waiting()
      gateways.payUnreported(early.intent)
      yield* TestClock.adjust("9 minutes")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* early.statuses, ["waiting_payment"])
      yield* TestClock.adjust("1 minute")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* early.statuses, ["paid"])
      assert.strictEqual(yield* early.pay(), "duplicate")
      const last = yield* waiting()
      yield* TestClock.adjust("59 minutes")
      yield* PaymentExpiry.run
      gateways.payUnreported(last.intent)
      yield* TestClock.adjust("1 minute")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* last.statuses, ["paid"])
      assert.strictEqual(yield* last.balance, 0n)
    })
  )

  it.effect("end after an hour even if the gateway does not answer; its later answer still counts", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const order = yield* waiting()
      gateways.payUnreported(order.intent)
      gateways.setDown(true)
      yield* expire
      assert.deepStrictEqual(yield* order.statuses, ["cancelled"])
      assert.strictEqual(yield* order.balance, 0n)
      gateways.setDown(false)
      yield* TestClock.adjust("1 hour")
      yield* PaymentExpiry.run
      assert.strictEqual(yield* order.balance, 1_500_000n)
      const asked = () => gateways.lookUps.filter((id) => id === order.intent).length
      const before = asked()
      yield* TestClock.adjust("1 day")
      yield* PaymentExpiry.run
      yield* Effect.andThen(TestClock.adjust("1 day"), PaymentExpiry.run)
      assert.deepStrictEqual([before, asked()], [2, 3])
      assert.strictEqual(yield* order.balance, 1_500_000n)
    })
  )

  it.effect("are looked up at the gateway every hour for a day after their end, because a payment may be slow", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const order = yield* waiting()
      yield* expire
      const asked = () => gateways.lookUps.filter((id) => id === order.intent).length
      assert.strictEqual(asked(), 1)
      for (let hour = 0; hour < 30; hour++) yield* expire
      assert.strictEqual(asked(), 25)
      const slow = yield* waiting()
      yield* expire
      gateways.payUnreported(slow.intent)
      yield* expire
      assert.deepStrictEqual(yield* slow.statuses, ["cancelled"])
      assert.strictEqual(yield* slow.balance, 1_500_000n)
    })
  )

  it.effect("are not delayed by another gateway that hangs", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const stuck = yield* waiting()
      const other = yield* waiting({ payment_method: "crypto_gateway" })
      gateways.setHanging("card_gateway", true)
      yield* TestClock.adjust("60 minutes")
      const round = yield* Effect.forkChild(PaymentExpiry.run)
      yield* Effect.repeat(other.statuses, { until: ([status]) => status === "cancelled" })
      assert.deepStrictEqual(yield* stuck.statuses, ["waiting_payment"])
      yield* TestClock.adjust("10 seconds")
      gateways.setHanging("card_gateway", false)
      yield* Fiber.join(round)
      assert.deepStrictEqual(yield* stuck.statuses, ["cancelled"])
    })
  )
})
