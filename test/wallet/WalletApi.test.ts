import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"
import { fund } from "../support/Fixtures.ts"
import { server, timestamp, uuid } from "./WalletTesting.ts"

const charge = (user_id: UserId, amount: bigint) =>
  Wallets.use((wallets) =>
    wallets.charge({
      user_id,
      currency: "USD",
      spender: null,
      entries: [{ order_id: null, reference: randomUUID(), amount, amount_usd: amount, description: "Proxy" }]
    })
  )

layer(server)("The wallet API", (it) => {
  it.effect("lists both wallets with their balances", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      yield* fund(user, 12_340_000n)
      const { body, status } = yield* request("GET", "/v1/wallet", { key: user })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.total, 2)
      const [usd, star] = body.wallets
      assert.deepStrictEqual(Object.keys(usd).toSorted(), ["balance", "currency", "updated_at", "wallet_id"])
      assert.deepStrictEqual([usd.currency, usd.balance, star.currency, star.balance], ["USD", 12.34, "STAR", 0])
    })
  )

  it.effect("returns the balance in a currency, in dollars by default", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      yield* fund(user, 250n, "STAR")
      const dollars = yield* request("GET", "/v1/wallet/balance", { key: user })
      assert.strictEqual(dollars.status, 200)
      assert.match(dollars.body.wallet_id, uuid)
      assert.match(dollars.body.updated_at, timestamp)
      assert.deepInclude(dollars.body, { currency: "USD", balance: 0 })
      const stars = yield* request("GET", "/v1/wallet/balance?currency=STAR", { user })
      assert.deepInclude(stars.body, { currency: "STAR", balance: 250 })
      assert.strictEqual((yield* request("GET", "/v1/wallet/balance?currency=EUR", { key: user })).status, 422)
    })
  )

  it.effect("lists transactions newest first, with exactly the documented fields", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const id = yield* fund(user, 10_000_000n)
      yield* charge(user, 2_500_000n)
      yield* fund(user, 99n, "STAR")
      const { body, status } = yield* request("GET", "/v1/wallet/transactions", { key: user })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(Object.keys(body).toSorted(), ["total", "transactions"])
      assert.strictEqual(body.total, 2)
      const [payment, deposit] = body.transactions
      const { created_at, updated_at, wallet_id, ...rest } = deposit
      assert.match(created_at, timestamp)
      assert.match(updated_at, timestamp)
      assert.match(wallet_id, uuid)
      assert.deepStrictEqual(rest, {
        id,
        user_id: user,
        amount: 10,
        currency: "USD",
        transaction_type: "deposit",
        status: "completed",
        payment_method: "card_gateway",
        external_id: `ch_${id}`,
        description: "Deposit"
      })
      assert.deepInclude(payment, { amount: -2.5, transaction_type: "payment", payment_method: "wallet" })
      const stars = yield* request("GET", "/v1/wallet/transactions?currency=STAR", { key: user })
      assert.deepInclude(stars.body.transactions[0], { amount: 99, currency: "STAR" })
    })
  )

  it.effect("pages through transactions; total is the number of transactions in the answer", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      for (let amount = 1n; amount <= 5n; amount++) yield* fund(user, amount * 1_000_000n)
      const page = yield* request("GET", "/v1/wallet/transactions?limit=2&offset=1", { key: user })
      const amounts = page.body.transactions.map(({ amount }: { amount: number }) => amount)
      assert.deepStrictEqual([page.body.total, amounts], [2, [4, 3]])
      const beyond = yield* request("GET", "/v1/wallet/transactions?limit=1000&offset=5", { key: user })
      assert.deepStrictEqual(beyond.body, { transactions: [], total: 0 })
      for (const query of ["limit=0", "limit=1001", "limit=x", "offset=-1", "currency=usd"]) {
        const refused = yield* request("GET", `/v1/wallet/transactions?${query}`, { key: user })
        assert.deepStrictEqual([query, refused.status], [query, 422])
        assert.deepStrictEqual(refused.body.detail[0].loc, ["query", query.split("=")[0]])
      }
    })
  )

  it.effect("shows a transaction to its owner only", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const id = yield* fund(user, 1_000_000n)
      const own = yield* request("GET", `/v1/wallet/transactions/${id}`, { key: user })
      assert.strictEqual(own.status, 200)
      assert.deepInclude(own.body, { id, amount: 1 })
      const stranger = yield* request("GET", `/v1/wallet/transactions/${id}`, { key: yield* Fixtures.newUser })
      assert.deepStrictEqual([stranger.status, stranger.body.code], [403, "FORBIDDEN"])
      const unknown = yield* request("GET", `/v1/wallet/transactions/${randomUUID()}`, { key: user })
      assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"])
      const malformed = yield* request("GET", "/v1/wallet/transactions/7", { key: user })
      assert.deepStrictEqual([malformed.status, malformed.body.detail[0].loc], [422, ["path", "transaction_id"]])
    })
  )

  it.effect("accepts an API key with wallet:read and refuses other keys", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const paths = [
        "/v1/wallet",
        "/v1/wallet/balance",
        "/v1/wallet/transactions",
        `/v1/wallet/transactions/${yield* fund(user, 1n)}`
      ]
      for (const path of paths) {
        assert.strictEqual((yield* request("GET", path, { key: `${user};wallet:read` })).status, 200)
        const scoped = yield* request("GET", path, { key: `${user};orders:read` })
        assert.strictEqual(scoped.status, 403)
        assert.deepInclude(scoped.body, { code: "INSUFFICIENT_SCOPE", details: { required_scope: "wallet:read" } })
        assert.strictEqual((yield* request("GET", path)).status, 401)
      }
    })
  )
})
