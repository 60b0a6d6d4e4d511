import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Deposits } from "../../src/wallet/Deposits.ts"
import { PaymentIntentId } from "../../src/wallet/PaymentIntent.ts"
import type { PaymentMethod } from "../../src/wallet/PaymentMethod.ts"
import { Payments } from "../../src/wallet/Payments.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

const Call = Schema.Struct({
  headers: Schema.Record(Schema.String, Schema.String),
  outcome: Schema.String,
  body: Schema.Uint8Array
})

/** The calls that are kept and speak of an intent. */
const callsAbout = Effect.fnUntraced(function* (intent: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT headers, outcome, body FROM payment_callback
    WHERE position(convert_to(${intent}, 'UTF8') IN body) > 0 ORDER BY outcome
  `
  return rows.map((row) => {
    const { body, ...call } = Schema.decodeUnknownSync(Call)(row)
    return { ...call, body: new Uint8Array(body) }
  })
})

layer(services)("Payments", (it) => {
  it.effect("wait until the gateway reports, then credit the wallet", () =>
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

  it.effect("credit one charge once, though it is reported 50 times at once, out of order and again later", () =>
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

  it.effect("fail when they are declined, and change nothing more by that", () =>
    Effect.gen(function* () {
      const { balance, decline, status } = yield* deposited
      assert.strictEqual(yield* decline, "declined")
      assert.strictEqual(yield* decline, "ignored")
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("that come after they were declined are credited as a deposit of their own", () =>
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

  it.effect("made twice are credited twice", () =>
    Effect.gen(function* () {
      const { balance, id, pay, status } = yield* deposited
      assert.strictEqual(yield* pay({ charge_id: `first ${id}` }), "paid")
      assert.strictEqual(yield* pay({ charge_id: `second ${id}` }), "credited")
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* balance, 50n * dollar)
    })
  )

  it.effect("of another amount or currency are credited as what came in; the deposit has failed", () =>
    Effect.gen(function* () {
      const { balance, id, pay, status, user } = yield* deposited
      assert.strictEqual(yield* pay({ charge_id: `less ${id}`, amount: 24n * dollar }), "credited")
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* pay({ charge_id: `stars ${id}`, amount: 7n, currency: "STAR" }), "credited")
      assert.strictEqual(yield* balance, 24n * dollar)
      assert.strictEqual((yield* Wallets.use((wallets) => wallets.balance(user, "STAR"))).balance, 7n)
    })
  )

  it.effect("of nothing, or for nobody known, change nothing", () =>
    Effect.gen(function* () {
      const { balance, deposit, pay, status } = yield* deposited
      const { pay: paid } = yield* MemoryPaymentGateways
      const payments = yield* Payments
      assert.strictEqual(yield* pay({ amount: 0n }), "ignored")
      assert.strictEqual(yield* pay({ payment_intent_id: PaymentIntentId.make(randomUUID()) }), "unmatched")
      // Signed by a gateway that this payment was never asked for at.
      const elsewhere = payments.receive("crypto_gateway", paid(deposit.payment_intent_id))
      assert.strictEqual(yield* elsewhere, "unmatched")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* balance, 0n)
    })
  )

  it.effect("keep every call as it came in, with its signature and nothing else of its headers", () =>
    Effect.gen(function* () {
      const { balance, deposit, forge, status } = yield* deposited
      const { pay } = yield* MemoryPaymentGateways
      const payments = yield* Payments
      assert.strictEqual((yield* Effect.flip(forge))._tag, "CallbackRefused")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* balance, 0n)
      const { body, headers } = pay(deposit.payment_intent_id)
      yield* payments.receive("card_gateway", { headers: { ...headers, authorization: "not to be kept" }, body })
      assert.deepStrictEqual(yield* callsAbout(deposit.payment_intent_id), [
        { headers, outcome: "paid", body },
        { headers: { "x-memory-signature": "forged" }, outcome: "refused", body }
      ])
    })
  )

  it.effect("keep the beginning of a call that is refused, and the whole of one that is not", () =>
    Effect.gen(function* () {
      const { deposit, pay } = yield* deposited
      const payments = yield* Payments
      const intent = deposit.payment_intent_id
      const forged = {
        headers: { "x-memory-signature": "x".repeat(10_000) },
        body: new TextEncoder().encode(intent.padEnd(65_536, "x"))
      }
      yield* Effect.flip(payments.receive("card_gateway", forged))
      yield* pay({ charge_id: "x".repeat(5000) })
      const kept = (yield* callsAbout(intent)).map(({ body, headers, outcome }) => [
        outcome,
        body.length > 5000 ? "whole" : body.length,
        headers["x-memory-signature"]?.length
      ])
      assert.deepStrictEqual(kept, [
        ["paid", "whole", 64],
        ["refused", 1024, 1024]
      ])
    })
  )

  it.effect("refuse calls without keeping them once 10000 refused ones are kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { deposit, forge, pay, status } = yield* deposited
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at)
        SELECT gen_random_uuid(), 'card_gateway', '{}', '', 'refused', to_timestamp(0), to_timestamp(0)
        FROM generate_series(1, 10000)
      `
      assert.strictEqual((yield* Effect.flip(forge))._tag, "CallbackRefused")
      assert.deepStrictEqual(yield* callsAbout(deposit.payment_intent_id), [])
      assert.strictEqual(yield* pay(), "paid")
      assert.strictEqual((yield* callsAbout(deposit.payment_intent_id)).length, 1)
      assert.strictEqual(yield* status, "completed")
    })
  )

  it.effect("are refused or settled to the end though the caller hangs up", () =>
    Effect.gen(function* () {
      const { deposit, forge, pay } = yield* deposited
      const calls = yield* Effect.forEach([forge, pay()], (call) =>
        Effect.forkChild(Effect.ignore(call), { startImmediately: true })
      )
      yield* Fiber.interruptAll(calls)
      const outcomes = (yield* callsAbout(deposit.payment_intent_id)).map(({ outcome }) => outcome)
      assert.notInclude(outcomes, "received")
      assert.include(outcomes, "paid")
    })
  )

  it.effect("are told to their owner once each, with what came in", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, pay, user } = yield* deposited
      yield* Effect.all([pay(), pay(), pay()], { concurrency: "unbounded" })
      yield* pay({ charge_id: `less ${id}`, amount: 1_500_000n })
      const notices = yield* sql`SELECT kind, message FROM notification WHERE user_id = ${user} ORDER BY id`
      assert.deepStrictEqual(
        notices.map(({ kind, message }) => [kind, message]),
        [
          ["deposit_credited", "25.00 USD were added to your wallet"],
          ["deposit_credited", "1.50 USD came late, again or not as asked, and were added to your wallet"]
        ]
      )
    })
  )

  it.effect("give whoever referred their owner a share, once each", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { balance, pay, user } = yield* deposited
      const referrer = yield* Fixtures.newUser
      yield* sql`UPDATE user_account SET referred_by = ${referrer} WHERE id = ${user}`
      yield* Effect.all([pay(), pay(), pay()], { concurrency: "unbounded" })
      assert.strictEqual(yield* balance, 25n * dollar)
      const share = yield* Wallets.use((wallets) => wallets.balance(referrer, "USD"))
      assert.strictEqual(share.balance, 2_500_000n)
    })
  )

  it.effect("may go on at the gateway while they wait, with the amount that was asked for", () =>
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
      assert.strictEqual(yield* checkOut({}, "crypto_gateway"), "This payment is not known.")
      assert.strictEqual(yield* status, "pending")
      yield* TestClock.adjust("60 minutes")
      assert.strictEqual(yield* checkOut(), "This payment has ended. Please start again.")
      yield* pay()
      assert.strictEqual(yield* checkOut(), "This has been paid already.")
      const forged = { ...gateways.checkOut(intent), headers: { "x-memory-signature": "forged" } }
      assert.strictEqual((yield* Effect.flip(payments.receive("card_gateway", forged)))._tag, "CallbackRefused")
      assert.strictEqual(gateways.answers.length, 6)
    })
  )

  it.effect("cannot be asked for at a gateway that is not there", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const gateways = yield* MemoryPaymentGateways
      const user = yield* Fixtures.newUser
      const stars = { amount: 5n, currency: "STAR", payment_method: "messenger_stars" } as const
      assert.strictEqual((yield* Effect.flip(deposits.create(user, stars)))._tag, "PaymentMethodUnavailable")
      assert.strictEqual((yield* deposits.list(user, { limit: 10, offset: 0 })).total, 0)
      const { deposit } = yield* deposited
      const callback = gateways.pay(deposit.payment_intent_id)
      const payments = yield* Payments
      assert.strictEqual((yield* Effect.flip(payments.receive("messenger_stars", callback)))._tag, "CallbackRefused")
    })
  )

  it.effect("have failed when the gateway does not take them", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const user = yield* Fixtures.newUser
      const gateways = yield* MemoryPaymentGateways
      const asked = { amount: 13n * dollar, currency: "USD", payment_method: "card_gateway" } as const
      const logged: Array<readonly [message: unknown, causes: number]> = []
      const logger = Logger.make(({ cause, message }) => void logged.push([message, cause.reasons.length]))
      gateways.setDown(true)
      const refused = deposits
        .create(user, asked)
        .pipe(Effect.ensuring(Effect.sync(() => gateways.setDown(false))), Effect.provide(Logger.layer([logger])))
      assert.strictEqual((yield* Effect.flip(refused))._tag, "PaymentMethodUnavailable")
      const { deposits: listed } = yield* deposits.list(user, { limit: 10, offset: 0 })
      assert.deepStrictEqual(
        listed.map(({ payment_url, status }) => [status, payment_url]),
        [["failed", null]]
      )
      // Why is for the log's cause, which is written as text: an error as a value would show whatever it holds.
      assert.deepStrictEqual(logged, [[["A payment gateway failed"], 1]])
    })
  )
})
