import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { isExpected } from "../../../src/orders/proxies/ProxyTests.ts"
import { gatewayFor, login } from "../../gateway/LocalGateway.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { frozenTime } from "../../support/FrozenTime.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const ownPort = HttpServer.addressFormattedWith((address) => Effect.succeed(Number(new URL(address).port)))

/** A customer's proxy that runs on this machine, and may reach the service itself. */
const running = Effect.fnUntraced(function* (options: Parameters<typeof gatewayFor>[0] = {}) {
  const allow = [yield* ownPort]
  const gateway = yield* Effect.promise(() => gatewayFor({ names: { localhost: ["127.0.0.1"] }, allow, ...options }))
  yield* reprice(100)
  const memory = yield* MemoryProvider
  Reflect.set(memory.provider, "isOwn", true)
  const { body: account } = yield* request("POST", "/v1/auth/register", {
    body: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery staple" }
  })
  yield* Fixtures.fund(account.user.id, 10_000_000n)
  const user: string = account.access_token
  const body = { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
  const { body: orders } = yield* request("POST", "/v1/orders", { user, body })
  const id: string = orders[0].id
  const place = { host: "127.0.0.1", port: gateway.port, current_ip: "127.0.0.1", ...login }
  memory.edit(id, place)
  yield* request("POST", `/v1/orders/${id}/sync`, { user })
  return { id, memory, user, test: request("POST", `/v1/orders/${id}/test`, { user }) }
})

describe("The exit address of a test", () => {
  it.each([
    ["8.8.8.8", "8.8.8.8", true],
    ["2001:4860::8", "2001:4860:0::8", true],
    ["127.0.0.1", "127.0.0.1", true],
    ["8.8.8.8", "8.8.4.4", false],
    ["10.0.0.1", "8.8.4.4", null],
    ["8.8.8.8", null, null],
    [null, "8.8.8.8", null]
  ] as const)("%s is compared with %s: %s", (exit, expected, outcome) => {
    assert.strictEqual(isExpected(exit, expected), outcome)
  })
})

layer(TestApp.layerPublic, { excludeTestServices: true })("The test of a proxy", (it) => {
  it.effect("connects through it with its login, and compares the exit address", () =>
    Effect.gen(function* () {
      const { id, memory, test, user } = yield* running()
      const works = yield* test
      assert.strictEqual(works.status, 200)
      const { connect_ms, first_byte_ms, tested_at, ...result } = works.body
      assert.deepStrictEqual(result, {
        order_id: id,
        works: true,
        failure: null,
        exit_ip: "127.0.0.1",
        expected_ip: "127.0.0.1",
        is_expected: true
      })
      assert.isAtMost(connect_ms, first_byte_ms)
      assert.match(tested_at, /Z$/)
      memory.edit(id, { current_ip: "192.0.2.1" })
      assert.deepInclude((yield* test).body, { works: true, expected_ip: "192.0.2.1", is_expected: null })
      memory.edit(id, { password: "another-password" })
      yield* request("POST", `/v1/orders/${id}/sync`, { user })
      assert.deepInclude((yield* test).body, {
        works: false,
        failure: "login_refused",
        exit_ip: null,
        first_byte_ms: null,
        is_expected: null
      })
    })
  )

  it.effect("says that a proxy refuses the service, by its whitelist or because it may not reach it", () =>
    Effect.gen(function* () {
      const whitelist = ["192.0.2.7"]
      const listed = yield* running({ proxy: { whitelist } })
      listed.memory.edit(listed.id, { whitelisted_ips: whitelist })
      yield* request("POST", `/v1/orders/${listed.id}/sync`, { user: listed.user })
      assert.deepInclude((yield* listed.test).body, { works: false, failure: "address_not_allowed" })
      const closed = yield* running({ allow: [] })
      assert.deepInclude((yield* closed.test).body, { works: false, failure: "refused" })
    })
  )

  it.effect("runs at most six times a minute for a proxy", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { test } = yield* running()
      for (let count = 0; count < 6; count++) assert.strictEqual((yield* test).status, 200)
      const limited = yield* test
      assert.deepStrictEqual([limited.status, limited.body.code], [429, "RATE_LIMITED"])
      assert.strictEqual(limited.headers["retry-after"], String(limited.body.details.retry_after))
      assert.strictEqual((yield* (yield* running()).test).status, 200)
    })
  )

  it.effect("answers others, and proxies that have ended, as every operation does", () =>
    Effect.gen(function* () {
      const { id, user } = yield* running()
      const path = `/v1/orders/${id}/test`
      assert.strictEqual((yield* request("POST", path)).status, 401)
      const { body } = yield* request("POST", "/v1/auth/register", {
        body: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery staple" }
      })
      assert.strictEqual((yield* request("POST", path, { user: body.access_token })).status, 403)
      yield* request("POST", `/v1/orders/${id}/release`, { user })
      assert.strictEqual((yield* request("POST", path, { user })).status, 400)
    })
  )

  it.effect("uses GET /v1/ip, which tells everyone their address and is never cached", () =>
    Effect.gen(function* () {
      const answer = yield* request("GET", "/v1/ip")
      assert.deepStrictEqual([answer.status, answer.body], [200, { ip: "127.0.0.1" }])
      assert.strictEqual(answer.headers["cache-control"], "private, no-store")
    })
  )
})

layer(TestApp.layer(), { excludeTestServices: true })("The history of a proxy", (it) => {
  it.effect("keeps the last 20 changes of each kind, and ends with the account", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const sql = yield* SqlClient.SqlClient
      const { body: account } = yield* request("POST", "/v1/auth/register", {
        body: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery staple" }
      })
      yield* Fixtures.fund(account.user.id, 10_000_000n)
      const user: string = account.access_token
      const body = { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
      const { body: orders } = yield* request("POST", "/v1/orders", { user, body })
      const id: string = orders[0].id
      const { body: key } = yield* request("POST", "/v1/api-keys", { user, body: { name: "cron" } })
      const change = (protocol: string, as: object) =>
        request("PUT", `/v1/orders/${id}/protocol`, { ...as, body: { protocol } })
      for (let count = 0; count < 11; count++) {
        yield* change("SOCKS5", { key: key.key })
        yield* change("HTTP", { user })
      }
      yield* request("PUT", `/v1/orders/${id}/whitelist`, { user, body: { whitelisted_ips: [] } })
      const counts = yield* sql<{ kind: string; actor: string; rows: number; ids: number }>`
        SELECT kind, actor, count(*)::int AS rows, count(actor_id)::int AS ids
        FROM order_event WHERE order_id = ${id} GROUP BY 1, 2 ORDER BY 1, 2`
      assert.deepStrictEqual(counts, [
        { kind: "protocol", actor: "api_key", rows: 10, ids: 10 },
        { kind: "protocol", actor: "session", rows: 10, ids: 0 },
        { kind: "whitelist", actor: "session", rows: 1, ids: 0 }
      ])
      const closed = yield* request("DELETE", "/v1/users/me", {
        user,
        body: { password: "correct horse battery staple" }
      })
      assert.strictEqual(closed.status, 204)
      assert.lengthOf(yield* sql`SELECT FROM order_event WHERE order_id = ${id}`, 0)
    })
  )
})
