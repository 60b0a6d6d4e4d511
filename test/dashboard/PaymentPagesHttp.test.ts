import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { PaymentSettlement } from "../../src/wallet/payments/PaymentSettlement.ts"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import { deposited, serverWith } from "./DashboardTesting.ts"

/** Leaves the state of a process that stopped right after it stored a decision. */
const stopAfterDecision = Effect.fnUntraced(function* (payment_intent_id: string, outcome: "paid" | "declined") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE sandbox_payment SET outcome = ${outcome} WHERE payment_intent_id = ${payment_intent_id}`
})

layer(serverWith({}))("the dashboard", (it) => {
  it.effect(
    "shows the true state when the service stopped between a decision and its report, until the recovery reports it",
    () =>
      Effect.gen(function* () {
        const { balance, show, deposit, status } = yield* deposited()
        const other = yield* deposited()
        yield* stopAfterDecision(deposit.payment_intent_id, "paid")
        yield* stopAfterDecision(other.deposit.payment_intent_id, "declined")
        const { body } = yield* show
        assert.include(body, "Payment on its way")
        assert.notInclude(body, "<form")
        assert.include((yield* other.show).body, "Payment declined")
        yield* TestClock.adjust("60 minutes")
        yield* PaymentExpiry.run
        assert.strictEqual(yield* status, "completed")
        assert.strictEqual(yield* balance, 25)
        assert.include((yield* show).body, "Payment complete")
        assert.strictEqual(yield* other.status, "failed")
        assert.include((yield* other.show).body, "Payment declined")
        yield* PaymentExpiry.run
        assert.strictEqual(yield* balance, 25)
      })
  )

  it.effect("shows a payment as cancelled, not as declined, when its order was cancelled", () =>
    Effect.gen(function* () {
      const { deposit, show } = yield* deposited()
      const settlement = yield* PaymentSettlement
      yield* (yield* Atomically)(settlement.end(deposit.payment_intent_id, "failed"))
      const { body } = yield* show
      assert.include(body, "Payment cancelled")
      assert.notInclude(body, "declined")
    })
  )

  it.effect("does not show money as added before it is, even when the payment has ended", () =>
    Effect.gen(function* () {
      const { balance, deposit, show } = yield* deposited()
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      yield* stopAfterDecision(deposit.payment_intent_id, "paid")
      assert.include((yield* show).body, "Payment on its way")
      assert.strictEqual(yield* balance, 0)
      yield* PaymentExpiry.run
      assert.include((yield* show).body, "Paid late")
      assert.strictEqual(yield* balance, 25)
    })
  )
})

for (const [app_url, path] of [
  ["https://proxies.test/my/dashboard/", "/my/dashboard"],
  ["https://app.example.com", ""],
  ["https://app.example.com/", ""],
  ["https://app.example.com//evil.example", "/evil.example"]
] as const)
  layer(serverWith({ APP_URL: app_url }))(`a dashboard at ${app_url}`, (it) => {
    it.effect("serves its payment page and stays on its host", () =>
      Effect.gen(function* () {
        const { choose, deposit, status } = yield* deposited()
        assert.strictEqual(
          deposit.payment_url,
          `${app_url.replace(/\/$/, "")}/sandbox/pay/${deposit.payment_intent_id}`
        )
        const paid = yield* choose("paid")
        assert.deepStrictEqual(
          [paid.status, paid.headers.location],
          [303, `${path}/sandbox/pay/${deposit.payment_intent_id}`]
        )
        assert.strictEqual(yield* status, "completed")
      })
    )
  })
