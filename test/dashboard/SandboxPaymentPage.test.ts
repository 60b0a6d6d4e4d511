import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as SandboxCall from "../../src/wallet/gateways/SandboxCall.ts"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import { request } from "../support/TestServer.ts"
import { deposited, form, serverWith } from "./DashboardTesting.ts"

/** A callback signed as the sandbox signs it, with its secret for the payment. */
const signedCall = Effect.fnUntraced(function* (payment_intent_id: string, charge_id: string, amount: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`SELECT secret FROM sandbox_payment WHERE payment_intent_id = ${payment_intent_id}`
  const { secret } = Schema.decodeUnknownSync(Schema.Struct({ secret: Schema.String }))(row)
  const call = { payment_intent_id, outcome: "paid" as const, charge_id, amount, currency: "USD" as const }
  const { body, headers } = yield* SandboxCall.signed(secret, call as SandboxCall.SandboxCall)
  return (change: { body?: string; signature?: string } = {}) =>
    request("POST", "/v1/payments/callbacks/card_gateway", {
      headers: {
        ...headers,
        ...(change.signature === undefined ? {} : { [SandboxCall.signatureHeader]: change.signature })
      },
      body: change.body ?? new TextDecoder().decode(body)
    })
})

layer(serverWith({}))("the sandbox payment page", (it) => {
  it.effect("shows the amount, says that no real money moves, and offers to pay or decline", () =>
    Effect.gen(function* () {
      const { deposit, show } = yield* deposited()
      const { body, headers, status } = yield* show
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      assert.include(body, "Sandbox: no real money moves")
      assert.include(body, "$25.00")
      assert.include(body, "Card")
      assert.include(body, deposit.payment_intent_id)
      assert.match(body, /<form method="post">/)
      assert.match(body, /<button[^>]* name="outcome" value="paid">Pay<\/button>/)
      assert.match(body, /<button[^>]* name="outcome" value="declined">Decline<\/button>/)
    })
  )

  it.effect(
    "credits the wallet once, also when the form is sent several times, and shows the payment as complete",
    () =>
      Effect.gen(function* () {
        const { balance, choose, page, show, status } = yield* deposited()
        const paid = yield* Effect.all(
          Array.from({ length: 10 }, () => choose("paid")),
          { concurrency: "unbounded" }
        )
        for (const answer of paid) assert.deepStrictEqual([answer.status, answer.headers.location], [303, page])
        assert.strictEqual(yield* status, "completed")
        assert.strictEqual(yield* balance, 25)
        const { body } = yield* show
        assert.include(body, "Payment complete")
        assert.notInclude(body, "<form")
        assert.strictEqual((yield* choose("declined")).status, 303)
        assert.strictEqual(yield* status, "completed")
        assert.strictEqual(yield* balance, 25)
      })
  )

  it.effect("ends the deposit permanently when the customer declines", () =>
    Effect.gen(function* () {
      const { balance, choose, show, status } = yield* deposited()
      assert.strictEqual((yield* choose("declined")).status, 303)
      assert.strictEqual(yield* status, "failed")
      assert.include((yield* show).body, "Payment declined")
      yield* choose("paid")
      assert.strictEqual(yield* balance, 0)
      assert.include((yield* show).body, "Payment declined")
    })
  )

  it.effect("works the same for crypto and for stars", () =>
    Effect.gen(function* () {
      const crypto = yield* deposited({ amount: "10000", currency: "USD", payment_method: "crypto_gateway" })
      yield* crypto.choose("paid")
      assert.strictEqual(yield* crypto.balance, 10_000)
      const stars = yield* deposited({ amount: 500, currency: "STAR", payment_method: "messenger_stars" })
      assert.include((yield* stars.show).body, "500 stars")
      yield* stars.choose("paid")
      assert.strictEqual(yield* stars.balance, 500)
    })
  )

  it.effect("shows a late customer that the payment expired, and credits a late payment", () =>
    Effect.gen(function* () {
      const { balance, choose, show, status } = yield* deposited()
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      const { body } = yield* show
      assert.include(body, "Payment expired")
      assert.notInclude(body, "<form")
      assert.strictEqual((yield* choose("paid")).status, 303)
      assert.strictEqual(yield* status, "failed")
      assert.strictEqual(yield* balance, 25)
      assert.include((yield* show).body, "Paid late")
    })
  )

  it.effect("changes nothing without a valid choice", () =>
    Effect.gen(function* () {
      const { choose, page, status } = yield* deposited()
      const answers = [
        yield* choose("maybe"),
        yield* choose("paid&outcome=declined"),
        yield* choose(""),
        yield* request("POST", page, { headers: form, body: "" }),
        yield* request("POST", page),
        yield* request("POST", page, { body: "{" })
      ]
      assert.deepStrictEqual(
        answers.map((answer) => answer.status),
        answers.map(() => 422)
      )
      assert.strictEqual(yield* status, "pending")
    })
  )

  it.effect("answers an unknown payment with a page", () =>
    Effect.gen(function* () {
      for (const id of [randomUUID(), "x", "%00", "<script>"]) {
        const path = `/app/sandbox/pay/${encodeURIComponent(id)}`
        for (const answer of [
          yield* request("GET", path),
          yield* request("POST", path, { headers: form, body: "outcome=paid" })
        ]) {
          assert.strictEqual(answer.status, 404)
          assert.include(answer.body, "Payment not found")
        }
      }
    })
  )

  it.effect("runs only the script of the pages, loads nothing else, allows no frame, and is not cached", () =>
    Effect.gen(function* () {
      const { choose, show } = yield* deposited()
      for (const { body, headers } of [
        yield* show,
        yield* choose("maybe"),
        yield* request("GET", "/app/sandbox/pay/x")
      ])
        assertSafe({ headers, text: body }, "http://localhost:8080")
    })
  )

  it.effect("is not the only way to pay: a signed callback works too, and a forged one does nothing", () =>
    Effect.gen(function* () {
      const { balance, deposit, status } = yield* deposited()
      const call = yield* signedCall(deposit.payment_intent_id, "sandbox_1", "25.00")
      const other = yield* signedCall((yield* deposited()).deposit.payment_intent_id, "sandbox_2", "25.00")
      const forged = [
        yield* call({ signature: "" }),
        yield* call({ signature: `v1=${"a".repeat(64)}` }),
        yield* call({
          body: `{"payment_intent_id":"${deposit.payment_intent_id}","outcome":"paid","charge_id":"sandbox_x","amount":"9999","currency":"USD"}`
        })
      ]
      assert.deepStrictEqual(
        forged.map((answer) => [answer.status, answer.body.code]),
        forged.map(() => [401, "UNAUTHORIZED"])
      )
      assert.strictEqual(yield* status, "pending")
      const absurd = yield* signedCall(deposit.payment_intent_id, "sandbox_3", "999999999999999.999999")
      assert.strictEqual((yield* absurd()).status, 401)
      const genuine = yield* Effect.all([call(), call(), call(), other()], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        genuine.map((answer) => [answer.status, answer.body]),
        genuine.map(() => [200, { received: true }])
      )
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* balance, 25)
    })
  )
})

layer(serverWith({ SANDBOX: "false" }))("without the sandbox", (it) => {
  it.effect("neither the page nor the callback exists", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const body = { amount: 5, currency: "USD", payment_method: "card_gateway" }
      const refused = yield* request("POST", "/v1/payments/deposits", { user, body })
      assert.deepStrictEqual(
        [refused.status, refused.body],
        [
          503,
          {
            detail: "This payment method is not offered; choose one of details.available",
            code: "SERVICE_UNAVAILABLE",
            details: { available: [] }
          }
        ]
      )
      const page = yield* request("GET", `/app/sandbox/pay/${randomUUID()}`)
      assert.deepStrictEqual([page.status, page.body.code], [404, "NOT_FOUND"])
    })
  )
})
