import { assert, layer } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { request } from "../../support/TestServer.ts"
import { fund } from "../../support/Fixtures.ts"
import { server, serverInMemory, timestamp, uuid } from "../WalletTesting.ts"

const call = (body: string | undefined, headers: Record<string, string> = {}, method = "card_gateway") =>
  request("POST", `/v1/payments/callbacks/${method}`, { headers, ...(body === undefined ? {} : { body }) })

const signed = (signature: string) => ({ "x-sandbox-signature": signature })

const usd = (amount: unknown) => ({ amount, currency: "USD", payment_method: "card_gateway" })
const stars = (amount: unknown) => ({ amount, currency: "STAR", payment_method: "messenger_stars" })

layer(server)("The deposits API", (it) => {
  it.effect("returns the payment page; the deposit and its transaction are pending", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const made = yield* request("POST", "/v1/payments/deposits", { user, body: usd("49.90") })
      assert.strictEqual(made.status, 201)
      const { created_at, id, payment_intent_id, ...rest } = made.body
      assert.match(created_at, timestamp)
      assert.match(id, uuid)
      assert.match(payment_intent_id, uuid)
      assert.deepStrictEqual(rest, {
        status: "pending",
        amount: 49.9,
        currency: "USD",
        payment_method: "card_gateway",
        payment_url: `https://proxies.test/app/sandbox/pay/${payment_intent_id}`
      })
      const read = yield* request("GET", `/v1/payments/deposits/${id}`, { user })
      assert.deepStrictEqual([read.status, read.body], [200, made.body])
      const listed = yield* request("GET", "/v1/payments/deposits", { user })
      assert.deepStrictEqual(listed.body, { deposits: [made.body], total: 1, limit: 50, offset: 0 })
      const transaction = yield* request("GET", `/v1/wallet/transactions/${id}`, { user })
      assert.deepInclude(transaction.body, { status: "pending", transaction_type: "deposit", amount: 49.9 })
      assert.strictEqual((yield* request("GET", "/v1/wallet/balance", { user })).body.balance, 0)
    })
  )

  it.effect("accepts amounts within the limits, as numbers or decimal strings", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const good = [
        usd(1),
        usd("1"),
        usd(10_000),
        usd("10000.00"),
        usd(0.1 + 1),
        usd("1.10"),
        stars(1),
        stars("1000000")
      ]
      for (const body of good) {
        const made = yield* request("POST", "/v1/payments/deposits", { user, body })
        assert.deepStrictEqual([made.status, made.body.amount], [201, Number(body.amount)])
      }
    })
  )

  it.effect("refuses other amounts and names the field", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const amounts = [
        0,
        -5,
        0.99,
        10_000.01,
        1.001,
        1e300,
        "",
        "abc",
        "1e3",
        "1,5",
        " 1",
        "+1",
        "0x10",
        "1\u0000",
        null,
        true,
        [],
        {}
      ]
      const bad = [...amounts.map(usd), stars(1.5), stars("1.0x"), stars(0), stars(1_000_001)]
      for (const body of bad) {
        const refused = yield* request("POST", "/v1/payments/deposits", { user, body })
        assert.strictEqual(refused.status, 422, JSON.stringify(body))
        assert.deepStrictEqual(refused.body.detail[0].loc.slice(0, 2), ["body", "amount"], JSON.stringify(body))
      }
    })
  )

  it.effect("reports a method that does not accept the currency and an invalid amount together", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const body = { amount: 0, currency: "STAR", payment_method: "crypto_gateway" }
      const refused = yield* request("POST", "/v1/payments/deposits", { user, body })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(
        refused.body.detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type]),
        [
          [["body", "amount"], "value_error"],
          [["body", "payment_method"], "value_error"]
        ]
      )
      const inDollars = yield* request("POST", "/v1/payments/deposits", {
        user,
        body: { ...stars(5), currency: "USD" }
      })
      assert.deepStrictEqual([inDollars.status, inDollars.body.detail[0].loc], [422, ["body", "payment_method"]])
      const empty = yield* request("POST", "/v1/payments/deposits", { user, body: {} })
      assert.strictEqual(empty.status, 422)
      assert.strictEqual(empty.body.detail.length, 3)
      assert.strictEqual((yield* request("POST", "/v1/payments/deposits", { user, body: "{" })).status, 422)
    })
  )

  it.effect("shows a deposit to its owner only", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { body } = yield* request("POST", "/v1/payments/deposits", { user, body: usd(5) })
      const stranger = yield* request("GET", `/v1/payments/deposits/${body.id}`, { user: yield* Fixtures.newUser })
      assert.deepStrictEqual([stranger.status, stranger.body.code], [403, "FORBIDDEN"])
      const unknown = yield* request("GET", `/v1/payments/deposits/${randomUUID()}`, { user })
      assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
      // A transaction without a payment is not a deposit of this list.
      const credited = yield* fund(user, 1n)
      assert.strictEqual((yield* request("GET", `/v1/payments/deposits/${credited}`, { user })).status, 404)
      assert.strictEqual((yield* request("GET", "/v1/payments/deposits/x", { user })).status, 422)
    })
  )

  it.effect("needs a signed-in session", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      assert.strictEqual((yield* request("POST", "/v1/payments/deposits", { key: user, body: usd(5) })).status, 401)
      assert.strictEqual((yield* request("GET", "/v1/payments/deposits", { key: user })).status, 401)
      assert.strictEqual((yield* request("GET", `/v1/payments/deposits/${randomUUID()}`)).status, 401)
    })
  )
})

layer(server)("The callback of a payment gateway", (it) => {
  it.effect("is refused without a valid signature and changes nothing", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body: usd(5) })
      const claim = JSON.stringify({
        payment_intent_id: deposit.payment_intent_id,
        outcome: "paid",
        charge_id: "mine",
        amount: "5.00",
        currency: "USD"
      })
      const attempts = [
        yield* call(claim),
        yield* call(claim, signed("v1=")),
        yield* call(claim, signed(`v1=${"0".repeat(64)}`)),
        yield* call(claim, signed("v1=zz")),
        yield* call(undefined, signed(`v1=${"0".repeat(64)}`)),
        yield* call("{", signed(`v1=${"0".repeat(64)}`)),
        yield* call('"\u0000"', signed(`v1=${"0".repeat(64)}`)),
        yield* call(claim.replace("mine", "\\u0000"), signed(`v1=${"0".repeat(64)}`))
      ]
      for (const { body, status } of attempts) assert.deepStrictEqual([status, body.code], [401, "UNAUTHORIZED"])
      const after = yield* request("GET", `/v1/payments/deposits/${deposit.id}`, { user })
      assert.strictEqual(after.body.status, "pending")
      assert.strictEqual((yield* request("GET", "/v1/wallet/balance", { user })).body.balance, 0)
    })
  )

  it.effect("is refused when it is too large, or for a method that does not exist", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("x".repeat(65_537))).status, 413)
      assert.strictEqual((yield* call("x".repeat(65_536))).status, 401)
      assert.strictEqual((yield* call("{}", {}, "wallet")).status, 422)
    })
  )
})

layer(serverInMemory)("The calls of a payment gateway", (it) => {
  it.effect("are answered with 503 while they cannot be confirmed, so that the gateway repeats them", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const user = yield* Fixtures.newUser
      const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body: usd(5) })
      const { body, headers } = gateways.pay(deposit.payment_intent_id)
      gateways.setDown(true)
      const unchecked = yield* call(new TextDecoder().decode(body), headers)
      gateways.setDown(false)
      assert.deepStrictEqual([unchecked.status, unchecked.body.code], [503, "SERVICE_UNAVAILABLE"])
      assert.strictEqual((yield* call(new TextDecoder().decode(body), headers)).status, 200)
    })
  )

  it.effect(
    "are limited to 100 refused ones a minute for an address, while genuine ones from the address are accepted",
    () =>
      Effect.gen(function* () {
        const { pay } = yield* MemoryPaymentGateways
        const user = yield* Fixtures.newUser
        const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body: usd(5) })
        const genuine = pay(deposit.payment_intent_id)
        const body = new TextDecoder().decode(genuine.body)
        const send = (headers: Record<string, string>) => Effect.map(call(body, headers), ({ status }) => status)
        for (let sent = 0; sent < 110; sent++) assert.strictEqual(yield* send(genuine.headers), 200)
        const refused = yield* Effect.replicateEffect(send({}), 101)
        assert.deepStrictEqual([refused.filter((status) => status === 401).length, refused.at(-1)], [100, 429])
        assert.strictEqual(yield* send(genuine.headers), 200)
      })
  )

  it.effect("without a valid signature store only the beginnings of a limited number", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = sql<{ total: number; bytes: number }>`
        SELECT count(*)::int AS total, coalesce(sum(octet_length(body)), 0)::int AS bytes FROM payment_callback
      `
      const [before] = yield* count
      const rubbish = Buffer.alloc(65_536, "x").toString()
      for (const headers of [{}, { "x-memory-signature": "f".repeat(64) }])
        yield* Effect.replicateEffect(call(rubbish, headers), 150, { concurrency: 8 })
      const [after] = yield* count
      assert.isAtMost((after?.total ?? 0) - (before?.total ?? 0), 100)
      assert.isAtMost((after?.bytes ?? 0) - (before?.bytes ?? 0), 100 * 1024)
    })
  )
})

layer(serverInMemory)("A payment at a gateway", (it) => {
  const deposited = Effect.gen(function* () {
    const { decline, pay } = yield* MemoryPaymentGateways
    const user = yield* Fixtures.newUser
    const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body: usd(25) })
    const post = ({ body, headers, payment_method }: ReturnType<typeof pay>) =>
      call(new TextDecoder().decode(body), headers, payment_method)
    return {
      user,
      pay: (change?: Parameters<typeof pay>[1]) => post(pay(deposit.payment_intent_id, change)),
      decline: post(decline(deposit.payment_intent_id)),
      status: Effect.map(request("GET", `/v1/payments/deposits/${deposit.id}`, { user }), ({ body }) => body.status),
      balance: Effect.map(request("GET", "/v1/wallet/balance", { user }), ({ body }) => body.balance)
    }
  })

  it.effect("completes the deposit once when it is reported several times", () =>
    Effect.gen(function* () {
      const { balance, pay, status } = yield* deposited
      const answers = yield* Effect.all([pay(), pay(), pay()], { concurrency: "unbounded" })
      for (const answer of answers) assert.deepStrictEqual([answer.status, answer.body], [200, { received: true }])
      assert.strictEqual(yield* status, "completed")
      assert.strictEqual(yield* balance, 25)
    })
  )

  it.effect("that comes twice, late or with another amount is credited with the amount that came in", () =>
    Effect.gen(function* () {
      const twice = yield* deposited
      yield* twice.pay()
      yield* twice.pay({ charge_id: "again" })
      assert.strictEqual(yield* twice.balance, 50)
      const late = yield* deposited
      yield* late.decline
      assert.strictEqual(yield* late.status, "failed")
      yield* late.pay()
      assert.strictEqual(yield* late.balance, 25)
      const other = yield* deposited
      yield* other.pay({ amount: 24_990_000n })
      assert.strictEqual(yield* other.status, "failed")
      assert.strictEqual(yield* other.balance, 24.99)
      const listed = yield* request("GET", "/v1/wallet/transactions", { user: other.user })
      const shown = listed.body.transactions.map(({ amount, status }: any) => [status, amount])
      assert.sameDeepMembers(shown, [
        ["completed", 24.99],
        ["failed", 25]
      ])
    })
  )
})
