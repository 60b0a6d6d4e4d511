import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, newPerson } from "../../contract/ContractTesting.ts"
import { paidDeposit, takeBack } from "../../support/PaidDeposit.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const invoicesOf = (user: string, query = "") => request("GET", `/v1/wallet/invoices${query}`, { user })

layer(TestApp.layer())("The invoices API", (it) => {
  it.effect("returns an invoice with its seller, buyer and lines, also by its number", () =>
    Effect.gen(function* () {
      const { id, session } = yield* newPerson
      const { body: user } = yield* request("GET", "/v1/users/me", { user: session })
      const deposit = yield* paidDeposit(session, { amount: 12.5 })
      const { body, status } = yield* invoicesOf(session)
      const [invoice] = body.invoices
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { invoices: [invoice], total: 1, limit: 50, offset: 0 })
      assert.strictEqual(user.id, id)
      assert.deepStrictEqual(invoice, {
        number: "1970-000001",
        transaction_id: deposit.id,
        issued_at: "1970-01-01T00:00:00.000Z",
        paid_at: "1970-01-01T00:00:00.000Z",
        seller: { name: "Proxy Rental Service", company: null, address: null, email: null, url: null },
        buyer: { email: user.email, name: null, address: null },
        lines: [{ type: "deposit", description: "Wallet top-up", quantity: 1, unit_price: 12.5, amount: 12.5 }],
        currency: "USD",
        total: 12.5,
        reversed: 0,
        payment_method: "card_gateway",
        is_sandbox: false
      })
      const one = yield* request("GET", `/v1/wallet/invoices/${invoice.number}`, { user: session })
      assert.deepStrictEqual([one.status, one.body], [200, invoice])
    })
  )

  it.effect("counts stars, and says what was taken back", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const stars = { amount: 500, currency: "STAR", payment_method: "messenger_stars" }
      yield* paidDeposit(session, stars)
      const { payment_intent_id } = yield* paidDeposit(session)
      yield* takeBack(payment_intent_id, { amount: 4_000_000n })
      const { body } = yield* invoicesOf(session)
      assert.deepStrictEqual(
        body.invoices.map(({ currency, reversed, total }: any) => [currency, total, reversed]),
        [
          ["USD", 25, 4],
          ["STAR", 500, 0]
        ]
      )
      assert.deepStrictEqual(
        (yield* invoicesOf(session, "?limit=1&offset=1")).body.invoices.map(({ total }: any) => total),
        [500]
      )
    })
  )

  it.effect("does not tell whether a number of another account exists", () =>
    Effect.gen(function* () {
      const owner = yield* newPerson
      const stranger = yield* newPerson
      yield* paidDeposit(owner.session)
      const { number } = (yield* invoicesOf(owner.session)).body.invoices[0]
      const answers = yield* Effect.forEach([number, "1970-999999"], (one) =>
        request("GET", `/v1/wallet/invoices/${one}`, { user: stranger.session })
      )
      for (const { body, status } of answers)
        assert.deepStrictEqual([status, body], [404, { code: "NOT_FOUND", detail: "There is no such invoice" }])
      assert.strictEqual((yield* invoicesOf(stranger.session)).body.total, 0)
      for (const odd of ["1", "1970-1", "70-000001", "1970-000001x", "TEST-1970-00001", `1970-${"0".repeat(11)}`]) {
        const { body, status } = yield* request("GET", `/v1/wallet/invoices/${odd}`, { user: owner.session })
        assert.deepStrictEqual([status, body.detail[0].loc], [422, ["path", "number"]], odd)
      }
    })
  )

  it.effect("accepts an API key with wallet:read and refuses other keys", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      yield* paidDeposit(session)
      const key = yield* newKey(session, ["wallet:read"])
      const listed = yield* request("GET", "/v1/wallet/invoices", { key })
      assert.strictEqual(listed.body.total, 1)
      const path = `/v1/wallet/invoices/${listed.body.invoices[0].number}`
      assert.strictEqual((yield* request("GET", path, { key })).status, 200)
      const other = yield* newKey(session, ["orders:read"])
      for (const each of ["/v1/wallet/invoices", path]) {
        assert.strictEqual((yield* request("GET", each, { key: other })).body.code, "INSUFFICIENT_SCOPE")
        assert.strictEqual((yield* request("GET", each)).status, 401)
      }
    })
  )
})
