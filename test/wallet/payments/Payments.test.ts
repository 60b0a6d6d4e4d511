import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { PaymentIntentId } from "../../../src/wallet/PaymentIntent.ts"
import type { PaymentMethod } from "../../../src/wallet/PaymentMethod.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

layer(services)("Payments", (it) => {
  it.effect("stay pending until the gateway reports them, then credit the wallet", () =>
    Effect.gen(function* () {
      const { balance, deposit, entries, pay, status } = yield* deposited
      assert.strictEqual(deposit.payment_url, `https://gateway.test/${deposit.payment_intent_id}`)
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* balance, 0n)
      assert.strictEqual(yield* pay({ charge_id: deposit.id }), "paid")
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* balance, 25n * dollar)
      assert.deepStrictEqual(yield* entries, [["completed", 25n * dollar, deposit.id]])
    })
  )

  it.effect("credit a charge once when it is reported 50 times simultaneously, out of order and again later", () =>
    Effect.gen(function* () {
      const { balance, decline, entries, forge, id, pay, user } = yield* deposited
      const other = yield* deposited
      const reports = Array.from({ length: 50 }, (_, index) =>
        index % 10 === 7 ? Effect.flip(forge) : pay({ charge_id: id })
      )
      const outcomes = yield* Effect.all(reports, { concurrency: "unbounded" })
      assert.strictEqual(outcomes.filter((outcome) => outcome === "paid").length, 1)
      assert.strictEqual(outcomes.filter((outcome) => outcome === "duplicate").length, 44)
      assert.strictEqual(yield* decline, "ignored")
      assert.strictEqual(yield* pay({ charge_id: id, amount: 99n * dollar }), "duplicate")
      assert.strictEqual(yield* other.pay({ charge_id: id }), "duplicate")
      assert.strictEqual(yield* balance, 25n * dollar)
      assert.strictEqual((yield* entries).length, 1)
      assert.strictEqual(yield* other.balance, 0n)
      assert.notStrictEqual(other.user, user)
    })
  )

  it.effect("fail when they are declined, and a repeated report changes nothing", () =>
    Effect.gen(function* () {
      const { balance, decline, status } = yield* deposited
      assert.strictEqual(yield* decline, "declined")
      assert.strictEqual(yield* decline, "ignored")
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("that arrive after they were declined are credited as a separate deposit", () =>
    Effect.gen(function* () {
      const { balance, decline, entries, id, pay, status } = yield* deposited
      yield* decline
      assert.strictEqual(yield* pay({ charge_id: id }), "credited")
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* balance, 25n * dollar)
      assert.deepStrictEqual(yield* entries, [
        ["completed", 25n * dollar, id],
        ["failed", 25n * dollar, null]
      ])
    })
  )

  it.effect("that are made twice are credited twice", () =>
    Effect.gen(function* () {
      const { balance, id, pay, status } = yield* deposited
      assert.strictEqual(yield* pay({ charge_id: `first ${id}` }), "paid")
      assert.strictEqual(yield* pay({ charge_id: `second ${id}` }), "credited")
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* balance, 50n * dollar)
    })
  )

  it.effect("with another amount or currency are credited with that amount; the deposit fails", () =>
    Effect.gen(function* () {
      const { balance, id, pay, status, user } = yield* deposited
      assert.strictEqual(yield* pay({ charge_id: `less ${id}`, amount: 24n * dollar }), "credited")
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* pay({ charge_id: `stars ${id}`, amount: 7n, currency: "STAR" }), "credited")
      assert.strictEqual(yield* balance, 24n * dollar)
      assert.strictEqual((yield* Wallets.use((wallets) => wallets.balance(user, "STAR"))).balance, 7n)
    })
  )

  it.effect("with an amount of zero, or for an unknown intent, change nothing", () =>
    Effect.gen(function* () {
      const { balance, deposit, pay, status } = yield* deposited
      const { pay: paid } = yield* MemoryPaymentGateways
      const payments = yield* Payments
      assert.strictEqual(yield* pay({ amount: 0n }), "ignored")
      assert.strictEqual(yield* pay({ payment_intent_id: PaymentIntentId.make(randomUUID()) }), "unmatched")
      // The signature is of a gateway that this payment was not requested from.
      const elsewhere = payments.receive("crypto_gateway", paid(deposit.payment_intent_id))
      assert.strictEqual(yield* elsewhere, "unmatched")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("are each reported to the account once, with the amount that came in", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, pay, user } = yield* deposited
      yield* Effect.all([pay(), pay(), pay()], { concurrency: "unbounded" })
      yield* pay({ charge_id: `less ${id}`, amount: 1_500_000n })
      const notices = yield* sql`SELECT kind, message FROM notification WHERE user_id = ${user} ORDER BY id`
      assert.deepStrictEqual(
        notices.map(({ kind, message }) => [kind, message]),
        [
          ["deposit_credited", "$25.00 were added to your wallet."],
          ["deposit_credited", "$1.50 came late, twice or not as requested, and were added to your wallet."]
        ]
      )
    })
  )

  it.effect("hold one share each for the account's referrer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { balance, pay, user } = yield* deposited
      const referrer = yield* Fixtures.newUser
      yield* sql`UPDATE user_account SET referred_by = ${referrer} WHERE id = ${user}`
      yield* Effect.all([pay(), pay(), pay()], { concurrency: "unbounded" })
      assert.strictEqual(yield* balance, 25n * dollar)
      const shares = yield* sql`SELECT amount, status FROM referral_share WHERE referrer_id = ${referrer}`
      assert.deepStrictEqual(shares, [{ amount: 2_500_000n, status: "held" }])
    })
  )

  it.effect("may continue at the gateway while they are pending, with the requested amount", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { deposit, pay, status } = yield* deposited
      const intent = deposit.payment_intent_id
      const checkOut = Effect.fnUntraced(function* (
        change: Parameters<typeof gateways.checkOut>[1] = {},
        method: PaymentMethod = "card_gateway"
      ) {
        assert.strictEqual(yield* payments.receive(method, gateways.checkOut(intent, change)), "ignored")
        return gateways.answers.at(-1)
      })
      assert.strictEqual(yield* checkOut(), null)
      assert.strictEqual(yield* checkOut({ amount: 1n }), "The amount has changed. Please start again.")
      assert.strictEqual(yield* checkOut({ currency: "STAR" }), "The amount has changed. Please start again.")
      assert.strictEqual(yield* checkOut({}, "crypto_gateway"), "This payment is unknown.")
      assert.strictEqual(yield* status, "pending")
      yield* TestClock.adjust("60 minutes")
      assert.strictEqual(yield* checkOut(), "This payment has expired or was cancelled. Please start again.")
      yield* pay()
      assert.strictEqual(yield* checkOut(), "This payment is already paid.")
      const forged = { ...gateways.checkOut(intent), headers: { "x-memory-signature": "forged" } }
      assert.strictEqual((yield* Effect.flip(payments.receive("card_gateway", forged)))._tag, "CallbackRefused")
      assert.strictEqual(gateways.answers.length, 6)
    })
  )
})
