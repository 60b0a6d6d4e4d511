import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as PaymentExpiry from "../../../src/wallet/payments/PaymentExpiry.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { SandboxPayments } from "../../../src/wallet/payments/SandboxPayments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

layer(services)("PaymentExpiry", (it) => {
  it.effect("ends a payment after 60 minutes; money that arrives later is credited", () =>
    Effect.gen(function* () {
      const { balance, id, pay, status } = yield* deposited
      yield* TestClock.adjust("59 minutes")
      const later = yield* deposited
      yield* PaymentExpiry.run
      assert.strictEqual(yield* status, "pending")
      yield* TestClock.adjust("1 minute")
      yield* PaymentExpiry.run
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* later.status, "pending")
      assert.strictEqual(yield* pay({ charge_id: id }), "credited")
      assert.strictEqual(yield* balance, 25n * dollar)
    })
  )

  it.effect("runs once a minute in the background", () =>
    Effect.gen(function* () {
      const { status } = yield* deposited
      yield* TestClock.adjust("60 minutes")
      yield* Layer.build(PaymentExpiry.layer)
      assert.strictEqual(yield* status, "pending")
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(status, { until: (status) => status === "failed" })
    })
  )

  it.effect("leaves one final state and the money when a payment arrives at the same moment", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all(Array.from({ length: 20 }, () => deposited))
      yield* TestClock.adjust("60 minutes")
      const reports = all.map(({ pay }) => pay())
      yield* Effect.all([...reports.slice(0, 10), PaymentExpiry.run, PaymentExpiry.run, ...reports.slice(10)], {
        concurrency: "unbounded"
      })
      for (const { balance } of all) assert.strictEqual(yield* balance, 25n * dollar)
    })
  )

  it.effect("asks the gateway every ten minutes for payments whose call may be lost, and settles them", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { balance, deposit, pay, status } = yield* deposited
      const asked = () => gateways.lookUps.filter((id) => id === deposit.payment_intent_id).length
      for (const minutes of [9, 1, 9, 1]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* Effect.all([PaymentExpiry.run, PaymentExpiry.run], { concurrency: "unbounded" })
      }
      assert.strictEqual(asked(), 2)
      gateways.payUnreported(deposit.payment_intent_id)
      yield* TestClock.adjust("10 minutes")
      yield* PaymentExpiry.run
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* pay(), "duplicate")
      assert.strictEqual(yield* balance, 25n * dollar)
      yield* TestClock.adjust("1 hour")
      yield* PaymentExpiry.run
      assert.strictEqual(asked(), 3)
    })
  )

  it.effect("credits unreported money for a day after a payment has ended", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { balance, deposit, pay, status } = yield* deposited
      const intent = deposit.payment_intent_id
      yield* payments.abandon(intent)
      gateways.payUnreported(intent)
      yield* TestClock.adjust("10 minutes")
      yield* PaymentExpiry.run
      assert.deepStrictEqual([yield* status, yield* balance], ["failed", 25n * dollar])
      gateways.payUnreported(intent, { charge_id: `later ${intent}`, amount: 5n * dollar })
      gateways.payUnreported(intent, { charge_id: `again ${intent}`, amount: 7n * dollar })
      yield* TestClock.adjust("20 hours")
      yield* PaymentExpiry.run
      assert.strictEqual(yield* balance, 37n * dollar)
      assert.strictEqual(yield* pay(), "duplicate")
      for (let hour = 0; hour < 10; hour++) yield* Effect.andThen(TestClock.adjust("1 hour"), PaymentExpiry.run)
      const asked = gateways.lookUps.length
      yield* TestClock.adjust("1 day")
      yield* PaymentExpiry.run
      assert.strictEqual(gateways.lookUps.length, asked)
    })
  )

  it.effect("does not end a paid payment that cannot be booked at the moment", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const gateways = yield* MemoryPaymentGateways
      const { balance, deposit, status } = yield* deposited
      gateways.payUnreported(deposit.payment_intent_id)
      yield* sql`
        CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$
      `
      yield* sql`CREATE TRIGGER deadlocked BEFORE INSERT ON payment_charge FOR EACH ROW EXECUTE FUNCTION deadlock()`
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      yield* sql`DROP TRIGGER deadlocked ON payment_charge`
      assert.strictEqual(yield* status, "pending")
      yield* TestClock.adjust("10 minutes")
      yield* PaymentExpiry.run
      assert.deepStrictEqual([yield* status, yield* balance], ["completed", 25n * dollar])
    })
  )

  it.effect("continues with the gateways when the sandbox fails", () =>
    Effect.gen(function* () {
      const { status } = yield* deposited
      yield* TestClock.adjust("60 minutes")
      yield* Effect.provide(PaymentExpiry.run, Layer.mock(SandboxPayments)({ resend: Effect.die("out of order") }))
      assert.strictEqual(yield* status, "failed")
    })
  )
})
