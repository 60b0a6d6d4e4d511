import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Random } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as http from "node:http"
import { UserId } from "../../src/accounts/User.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Gate from "../support/Gate.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { type Credential, message, newKey, session } from "./McpTesting.ts"

/** `CUT_PURCHASES=100 CUT_SEED=7` for a longer or another run. */
const purchases = Number(process.env["CUT_PURCHASES"] ?? 30)
const seed = process.env["CUT_SEED"] ?? "tools"
const atOnce = 6

/** Sends a call, and disconnects at a moment. The client ignores an earlier answer, as if it were lost. */
const cut = (url: string, headers: Credential, body: object, moment: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const call = http.request(url, {
      method: "POST",
      agent: false,
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers }
    })
    call.on("error", () => {})
    const closed = new Promise<void>((resolve) => call.on("close", resolve))
    call.end(JSON.stringify(body))
    yield* moment
    call.destroy()
    yield* Effect.promise(() => closed)
  })

const METRICS_TOKEN = "metrics"

/** The number of server failures in the metrics of this process, which other tests share. */
const failures = Effect.map(
  request("GET", "/metrics", { headers: { authorization: `Bearer ${METRICS_TOKEN}` } }),
  ({ body }) => {
    assert.include(body, "http_requests_total{")
    return body.match(/http_requests_total\{.*status="5.*/g)
  }
)

/** An agent with money for this number of orders. */
const shopping = Effect.fnUntraced(function* (funded: number) {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const { account, credential } = yield* newKey()
  const user_id = UserId.make(account.id)
  yield* Fixtures.fund(user_id, BigInt(funded) * 1_500_000n)
  const { call, header } = yield* session(credential)
  const { answer } = yield* call("list_offers", { response_format: "json" })
  const url = yield* HttpServer.addressFormattedWith((address) =>
    Effect.succeed(`${address.replace("0.0.0.0", "127.0.0.1")}/mcp`)
  )
  const given = (idempotency_key: string) => ({
    offer_id: answer.offers[0].id,
    quantity: 1,
    payment_method: "wallet",
    idempotency_key,
    confirm: true
  })
  return {
    user_id,
    cutAt: (moment: Effect.Effect<void>, key: string) =>
      cut(
        url,
        { ...credential, ...header },
        message("tools/call", { name: "create_proxy_order", arguments: given(key) }),
        moment
      ),
    buy: Effect.fnUntraced(function* (key: string) {
      const { answer: bought, isError } = yield* call("create_proxy_order", given(key))
      assert.isFalse(isError, JSON.stringify(bought))
      return bought.orders[0].id as string
    }),
    balance: Effect.map(call("get_wallet_balance", { currency: "USD" }), ({ answer }) => answer.balance as number)
  }
})

/** The number of orders of a customer. */
const ordersOf = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT FROM proxy_order WHERE user_id = ${user_id}`).length
})

const leases = MemoryProvider.use(({ leases }) => Effect.succeed(leases.size))

layer(TestApp.layer({ METRICS_TOKEN }), { excludeTestServices: true })("An agent whose connections are cut", (it) => {
  it.effect("buys once when the connection is cut while the provider makes the proxy", () =>
    Effect.gen(function* () {
      const { balance, buy, cutAt, user_id } = yield* shopping(1)
      const [failuresBefore, leasesBefore] = [yield* failures, yield* leases]
      const gate = yield* Gate.make
      yield* MemoryProvider.use(({ next }) => Effect.sync(() => next({ until: gate.pass })))
      yield* cutAt(gate.reached, "one")
      assert.strictEqual(yield* ordersOf(user_id), 1)
      yield* gate.open
      yield* buy("one")
      assert.deepStrictEqual([yield* ordersOf(user_id), yield* balance, yield* leases], [1, 0, leasesBefore + 1])
      assert.deepStrictEqual(yield* failures, failuresBefore)
    })
  )

  it.effect("buys once for each idempotency key, also after many tries", () =>
    Effect.gen(function* () {
      const { balance, buy, cutAt, user_id } = yield* shopping(purchases + 1)
      const [failuresBefore, leasesBefore] = [yield* failures, yield* leases]
      // A purchase among others takes longer than one alone: the random moments are spread over all its steps.
      const [took] = yield* Effect.timed(buy("alone"))
      const latest = Math.ceil(Duration.toMillis(took))
      const buyAtLast = Effect.fnUntraced(function* (n: number) {
        const tries = yield* Random.nextIntBetween(1, 3)
        for (let attempt = 0; attempt < tries; attempt++)
          yield* cutAt(Effect.sleep(yield* Random.nextIntBetween(0, latest)), `purchase ${n}`)
        return yield* buy(`purchase ${n}`)
      })
      const orders = yield* Effect.forEach(
        Array.from({ length: purchases }, (_, n) => n),
        buyAtLast,
        { concurrency: atOnce }
      ).pipe(Random.withSeed(seed))

      assert.strictEqual(new Set(orders).size, purchases)
      assert.strictEqual(yield* ordersOf(user_id), purchases + 1)
      assert.strictEqual(yield* balance, 0)
      assert.strictEqual(yield* leases, leasesBefore + purchases + 1)
      // A client that left is not a failure of the server.
      assert.deepStrictEqual(yield* failures, failuresBefore)
    })
  )
})
