import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as PaymentExpiry from "../../src/wallet/PaymentExpiry.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

layer(services)("PaymentExpiry", (it) => {
  it.effect("ends a payment after 60 minutes, no sooner; money that still comes is credited", () =>
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

  it.effect("and a payment at the same moment leave one of two ends, and the money either way", () =>
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

  it.effect("asks the gateway every ten minutes for payments whose call may be lost, and takes what it says", () =>
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

  it.effect("forgets unsigned calls after a day, all at once, and keeps the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { forge, pay } = yield* deposited
      const kept = Effect.map(sql`SELECT outcome FROM payment_callback`, (calls) => {
        const refused = calls.filter(({ outcome }) => outcome === "refused").length
        return { refused, others: calls.length - refused }
      })
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at)
        SELECT gen_random_uuid(), 'card_gateway', '{}', '', 'refused', to_timestamp(0), to_timestamp(0)
        FROM generate_series(1, 1200)
      `
      yield* TestClock.adjust("1 day")
      yield* pay()
      yield* Effect.flip(forge)
      yield* TestClock.adjust("23 hours")
      yield* PaymentExpiry.run
      const before = yield* kept
      assert.strictEqual(before.refused, 1)
      assert.isAbove(before.others, 0)
      yield* TestClock.adjust("2 hours")
      yield* PaymentExpiry.run
      assert.deepStrictEqual(yield* kept, { ...before, refused: 0 })
    })
  )
})
