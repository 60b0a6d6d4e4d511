import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { probeLogin } from "../../../src/gateway/ProbeLogin.ts"
import { GatewayProxyId } from "../../../src/gateway/GatewayProxy.ts"
import type { ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { gatewayFor, login } from "../../gateway/LocalGateway.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { frozenTime } from "../../support/FrozenTime.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const served = {
  id: GatewayProxyId.make("0b8f2f7e-8f4c-4a7a-9d27-000000000001"),
  probe_key: "0b8f2f7e-8f4c-4a7a-9d27-000000000002"
}

const own: NonNullable<ProxyProvider["probe"]> = (_, target) =>
  Effect.succeed({ ...probeLogin(served, target, Date.now()), expected_ip: "127.0.0.1" })

const account = Effect.gen(function* () {
  const { body } = yield* request("POST", "/v1/auth/register", {
    body: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery staple" }
  })
  yield* Fixtures.fund(body.user.id, 10_000_000n)
  return body.access_token as string
})

/** A proxy of the account that runs on this machine, as one of the own gateway or of a vendor. */
const running = Effect.fnUntraced(function* (
  user: string,
  options: Parameters<typeof gatewayFor>[0] & { readonly probe?: NonNullable<ProxyProvider["probe"]> | false } = {}
) {
  const gateway = yield* Effect.promise(() => gatewayFor(options))
  yield* reprice(100)
  const memory = yield* MemoryProvider
  Reflect.set(memory.provider, "isOwn", true)
  if (options.probe === false) Reflect.deleteProperty(memory.provider, "probe")
  else Reflect.set(memory.provider, "probe", options.probe ?? own)
  const body = { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
  const { body: orders } = yield* request("POST", "/v1/orders", { user, body })
  const id: string = orders[0].id
  memory.edit(id, { host: "127.0.0.1", port: gateway.port, current_ip: "127.0.0.1", ...login })
  yield* request("POST", `/v1/orders/${id}/sync`, { user })
  const uptime = request("GET", `/v1/orders/${id}/uptime`, { user })
  return { gateway, id, memory, uptime, check: request("POST", `/v1/orders/${id}/check`, { user }) }
})

layer(TestApp.layerPublic, { excludeTestServices: true })("The check of a proxy", (it) => {
  it.effect("needs no login, whitelist or traffic of the customer, and counts in the uptime", () =>
    Effect.gen(function* () {
      const user = yield* account
      const { check, gateway, id, uptime } = yield* running(user, { proxy: { whitelist: ["8.8.8.8"] } })
      const none = yield* uptime
      assert.deepInclude(none.body, { status: "unknown", tried_at: null, uptime_percent: null, hours: [] })
      const { body, status } = yield* check
      assert.strictEqual(status, 200)
      const { checked_at, checks, ...rest } = body
      assert.deepStrictEqual(rest, {
        order_id: id,
        status: "ok",
        replaceable: { free: true, reason: "first_day" }
      })
      const [{ connect_ms, first_byte_ms, ...seen }] = checks
      assert.deepStrictEqual(
        [checks.length, seen],
        [1, { vantage: "centre", tls_ms: null, exit_ip: "127.0.0.1", expected_ip: "127.0.0.1", error: null }]
      )
      assert.isAtMost(connect_ms, first_byte_ms)
      assert.strictEqual(gateway.lender.settle(), 0)
      const works = yield* uptime
      assert.deepInclude(works.body, { status: "ok", tried_at: checked_at, failing_since: null, uptime_percent: 100 })
      assert.deepInclude(works.body.hours[0], { vantage: "centre", probes: 1, failures: 0, connect_ms, first_byte_ms })
    })
  )

  it.effect("says that a proxy fails, and after three failures that its replacement is free", () =>
    Effect.gen(function* () {
      const user = yield* account
      const { check, gateway, id, uptime } = yield* running(user)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET cycle_started_at = cycle_started_at - interval '2 days' WHERE id = ${id}`
      assert.deepStrictEqual((yield* check).body.replaceable, { free: false, reason: "not_failing" })
      gateway.stop()
      for (const free of [false, false, true]) {
        const { body } = yield* check
        assert.deepInclude(body.checks[0], { error: "unreachable", connect_ms: null, expected_ip: "127.0.0.1" })
        assert.deepInclude(body, {
          status: "failing",
          replaceable: { free, reason: free ? "failing" : "not_failing" }
        })
      }
      const { body } = yield* uptime
      assert.deepInclude(body, { status: "failing", uptime_percent: 25 })
      assert.isString(body.failing_since)
    })
  )

  it.effect("counts nothing when it says nothing about the proxy", () =>
    Effect.gen(function* () {
      const user = yield* account
      const stopped = yield* running(user, { probe: () => Effect.undefined })
      assert.deepInclude((yield* stopped.check).body, { status: "unknown" })
      const other = yield* running(user, {
        probe: (_, target) => Effect.succeed({ ...probeLogin(served, target, Date.now()), expected_ip: "2001:db8::1" })
      })
      assert.deepInclude((yield* other.check).body.checks[0], { error: "no_echo" })
      const listed = yield* running(user, { probe: false, proxy: { whitelist: ["8.8.8.8"] } })
      listed.memory.edit(listed.id, { whitelisted_ips: ["8.8.8.8"] })
      yield* request("POST", `/v1/orders/${listed.id}/sync`, { user })
      assert.deepInclude((yield* listed.check).body.checks[0], { error: "address_not_allowed" })
      // Some vendors answer an address that is not on the list with silence, or not at all.
      listed.gateway.stop()
      assert.deepInclude((yield* listed.check).body.checks[0], { error: "address_not_allowed" })
      for (const { uptime } of [stopped, other, listed])
        assert.deepInclude((yield* uptime).body, { status: "unknown", hours: [] })
    })
  )

  it.effect("of a proxy that the service has stopped does not count", () =>
    Effect.gen(function* () {
      const user = yield* account
      const { check, gateway, id, uptime } = yield* running(user)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE user_account SET service_blocked = true WHERE id = (SELECT user_id FROM proxy_order WHERE id = ${id})`
      gateway.stop()
      assert.strictEqual((yield* check).status, 200)
      assert.deepInclude((yield* uptime).body, { status: "unknown", hours: [] })
    })
  )

  it.effect("runs at most six times a minute for an account, and once at a time for a proxy", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const user = yield* account
      // So long that checks at the same time meet.
      const wait = Effect.promise(() => new Promise((settle) => setTimeout(settle, 200)))
      const probe: typeof own = (id, target) => Effect.andThen(wait, own(id, target))
      const one = yield* running(user, { probe })
      const other = yield* running(user, { probe })
      const answers = yield* Effect.all([one.check, one.check, other.check], { concurrency: 3 })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 409])
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* one.check).status, 200)
      const limited = yield* other.check
      assert.deepStrictEqual([limited.status, limited.body.code], [429, "RATE_LIMITED"])
      assert.strictEqual(limited.headers["retry-after"], String(limited.body.details.retry_after))
      assert.strictEqual((yield* (yield* running(yield* account)).check).status, 200)
    })
  )

  it.effect("answers others, and proxies that have ended, as every operation does", () =>
    Effect.gen(function* () {
      const user = yield* account
      const { id } = yield* running(user)
      const stranger = yield* account
      for (const [method, path] of [
        ["POST", `/v1/orders/${id}/check`],
        ["GET", `/v1/orders/${id}/uptime`]
      ] as const) {
        assert.strictEqual((yield* request(method, path)).status, 401)
        assert.strictEqual((yield* request(method, path, { user: stranger })).status, 403)
      }
      assert.strictEqual((yield* request("GET", `/v1/orders/${id}/uptime?days=31`, { user })).status, 422)
      yield* request("POST", `/v1/orders/${id}/release`, { user })
      assert.strictEqual((yield* request("POST", `/v1/orders/${id}/check`, { user })).status, 400)
      assert.strictEqual((yield* request("GET", `/v1/orders/${id}/uptime`, { user })).status, 200)
    })
  )

  it.effect("leads to a replacement: tried first, made once for a key, refused with a reason", () =>
    Effect.gen(function* () {
      const user = yield* account
      const { id, memory, uptime } = yield* running(user)
      const replace = (body: object, key?: string) =>
        request("POST", `/v1/orders/${id}/replace`, {
          user,
          body,
          headers: key === undefined ? {} : { "idempotency-key": key }
        })
      const plan = { order_id: id, replaced: false, reason: "first_day", proxy: null }
      const dry = yield* replace({ dry_run: true }, "key")
      assert.deepStrictEqual([dry.status, dry.body], [200, plan])
      memory.setSpare(0)
      const none = yield* replace({ dry_run: true })
      assert.deepStrictEqual([none.status, none.body.details], [409, { reason: "out_of_stock" }])
      memory.setSpare(1)
      const made = yield* replace({}, "key")
      assert.deepInclude(made.body, { ...plan, replaced: true, proxy: made.body.proxy })
      assert.deepInclude(made.body.proxy, { order_id: id, status: "active", previous_expires_at: null })
      const again = yield* replace({}, "key")
      assert.deepStrictEqual([again.body, again.headers["idempotency-replayed"]], [made.body, "true"])
      const refused = yield* replace({})
      assert.deepStrictEqual([refused.status, refused.body.details], [409, { reason: "not_failing" }])
      const path = `/v1/orders/${id}/auto-replace`
      const off = yield* request("PUT", path, { user, body: { enabled: false } })
      assert.deepStrictEqual([off.status, off.body], [200, { order_id: id, auto_replace: false }])
      assert.isFalse((yield* uptime).body.auto_replace)
    })
  )

  it.effect("asks GET /echo, which answers the address of its caller without a limit", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 200 }, () => request("GET", "/echo")),
        { concurrency: 20 }
      )
      for (const { body, headers, status } of answers) {
        assert.deepStrictEqual([status, body], [200, { ip: "127.0.0.1" }])
        assert.strictEqual(headers["cache-control"], "no-store")
      }
    })
  )
})
