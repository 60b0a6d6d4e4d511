import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

const Call = Schema.Struct({
  headers: Schema.Record(Schema.String, Schema.String),
  outcome: Schema.String,
  body: Schema.Uint8Array
})

/** The stored callbacks about an intent. */
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

layer(services)("Callbacks of payment gateways", (it) => {
  it.effect("are stored unchanged, with the signature and without other headers", () =>
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

  it.effect("are stored whole, or only their beginning when they are refused", () =>
    Effect.gen(function* () {
      const { deposit, pay } = yield* deposited
      const payments = yield* Payments
      const intent = deposit.payment_intent_id
      const forged = {
        headers: { "x-memory-signature": "x".repeat(10_000) },
        body: new TextEncoder().encode(intent.padEnd(65_536, "x"))
      }
      yield* Effect.flip(payments.receive("card_gateway", forged))
      yield* payments.noteRefused("card_gateway", forged)
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

  it.effect("are refused without being stored when 1000 refused ones are stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { deposit, forge, pay, status } = yield* deposited
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at)
        SELECT gen_random_uuid(), 'card_gateway', '{}', '', 'refused', to_timestamp(0), to_timestamp(0)
        FROM generate_series(1, 1000)
      `
      assert.strictEqual((yield* Effect.flip(forge))._tag, "CallbackRefused")
      assert.deepStrictEqual(yield* callsAbout(deposit.payment_intent_id), [])
      assert.strictEqual(yield* pay(), "paid")
      assert.strictEqual((yield* callsAbout(deposit.payment_intent_id)).length, 1)
      assert.strictEqual(yield* status, "completed")
    })
  )

  it.effect("are stored whole when their gateway does not answer, and are settled when the call is repeated", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const gateways = yield* MemoryPaymentGateways
      const { balance, deposit, forge, pay, status } = yield* deposited
      const charge_id = deposit.id.repeat(200)
      gateways.setDown(true)
      assert.strictEqual((yield* Effect.flip(pay({ charge_id })))._tag, "CallbackNotChecked")
      assert.strictEqual((yield* Effect.flip(forge))._tag, "CallbackRefused")
      gateways.setDown(false)
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* pay({ charge_id }), "paid")
      assert.strictEqual(yield* balance, 25n * dollar)
      const kept = (yield* callsAbout(deposit.payment_intent_id)).map(({ body, outcome }) => [
        outcome,
        body.length > 5000
      ])
      assert.deepInclude(kept, ["unchecked", true])
      assert.deepInclude(kept, ["paid", true])
      yield* sql`DELETE FROM payment_callback WHERE outcome = 'refused'`
    })
  )

  it.effect("are processed completely when the caller hangs up", () =>
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
})
