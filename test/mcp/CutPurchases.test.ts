import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Random } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as http from "node:http"
import { UserId } from "../../src/accounts/User.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogSyncRepo } from "../../src/catalog/CatalogSyncRepo.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { type Credential, message, newKey, session } from "./McpTesting.ts"

/** `CUT_PURCHASES=100 CUT_SEED=7` for a longer or another run. */
const purchases = Number(process.env["CUT_PURCHASES"] ?? 30)
const seed = process.env["CUT_SEED"] ?? "tools"
const atOnce = 6

/** Sends a call and disconnects after some milliseconds. True when that was before the answer. */
const cut = (url: string, headers: Credential, body: object, afterMillis: number) =>
  Effect.callback<boolean>((resume) => {
    const call = http.request(url, {
      method: "POST",
      agent: false,
      headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers }
    })
    let answered = false
    call.on("response", (response) => {
      answered = true
      response.resume()
    })
    call.on("error", () => {})
    call.on("close", () => resume(Effect.succeed(!answered)))
    call.end(JSON.stringify(body))
    setTimeout(() => call.destroy(), afterMillis)
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

layer(TestApp.layer({ METRICS_TOKEN }), { excludeTestServices: true })("An agent whose connections are cut", (it) => {
  it.effect("buys once for each idempotency key, also after many tries", () =>
    Effect.gen(function* () {
      yield* Effect.provide(CatalogSync.run, CatalogSyncRepo.layer)
      const { account, credential } = yield* newKey()
      const user_id = UserId.make(account.id)
      yield* Fixtures.fund(user_id, BigInt(purchases + 1) * 1_500_000n)
      const { call, header } = yield* session(credential)
      const { answer } = yield* call("list_offers", { response_format: "json" })
      const url = yield* HttpServer.addressFormattedWith((address) =>
        Effect.succeed(`${address.replace("0.0.0.0", "127.0.0.1")}/mcp`)
      )
      const failuresBefore = yield* failures
      const given = (idempotency_key: string) => ({
        offer_id: answer.offers[0].id,
        quantity: 1,
        payment_method: "wallet",
        idempotency_key,
        confirm: true
      })
      // On a fast machine as on a slow one, most cuts come before the answer: a purchase among others takes longer.
      const [took] = yield* Effect.timed(call("create_proxy_order", given("alone")))
      const latest = Math.ceil(Duration.toMillis(took))
      let cuts = 0
      const buy = Effect.fnUntraced(function* (n: number) {
        const body = message("tools/call", { name: "create_proxy_order", arguments: given(`purchase ${n}`) }, n)
        const tries = yield* Random.nextIntBetween(1, 3)
        for (let attempt = 0; attempt < tries; attempt++) {
          const isCut = yield* cut(url, { ...credential, ...header }, body, yield* Random.nextIntBetween(0, latest))
          if (isCut) cuts += 1
        }
        const { answer: bought, isError } = yield* call("create_proxy_order", given(`purchase ${n}`))
        assert.isFalse(isError, JSON.stringify(bought))
        return bought.orders[0].id as string
      })
      const orders = yield* Effect.forEach(
        Array.from({ length: purchases }, (_, n) => n),
        buy,
        { concurrency: atOnce }
      ).pipe(Random.withSeed(seed))

      assert.strictEqual(new Set(orders).size, purchases)
      const sql = yield* SqlClient.SqlClient
      const [made] = yield* sql`SELECT count(*)::int AS orders FROM proxy_order WHERE user_id = ${user_id}`
      assert.deepStrictEqual(made, { orders: purchases + 1 })
      const wallet = yield* call("get_wallet_balance", { currency: "USD" })
      assert.strictEqual(wallet.answer.balance, 0)
      assert.strictEqual(yield* MemoryProvider.use(({ leases }) => Effect.succeed(leases.size)), purchases + 1)
      assert.isAbove(cuts, purchases / 4)
      // A client that left is not a failure of the server.
      assert.deepStrictEqual(yield* failures, failuresBefore)
    })
  )
})
