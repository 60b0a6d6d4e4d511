import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { request as call } from "../../support/TestServer.ts"
import { customer, ordered, server } from "./ManagementTesting.ts"

const start = Effect.gen(function* () {
  const user = yield* customer
  const id = yield* ordered(user, "static")
  const whitelist = (whitelisted_ips: unknown) =>
    call("PUT", `/v1/orders/${id}/whitelist`, { user, body: { whitelisted_ips } })
  const fetched = Effect.map(call("GET", `/v1/orders/${id}`, { user }), ({ body }) => body)
  return { user, id, whitelist, fetched, memory: yield* MemoryProvider }
})

layer(server, { excludeTestServices: true })("Proxy management API", (it) => {
  it.effect("stores a whitelist in canonical form without duplicates, and requires passwords when it is empty", () =>
    Effect.gen(function* () {
      const { id, memory, fetched, whitelist } = yield* start
      const set = yield* whitelist(["2001:DB8:0::7", "192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7"])
      assert.deepStrictEqual([set.status, set.body.whitelisted_ips], [200, ["2001:db8::7", "192.0.2.7"]])
      assert.deepStrictEqual(memory.leases.get(id)?.proxy.whitelisted_ips, ["2001:db8::7", "192.0.2.7"])
      assert.deepStrictEqual((yield* fetched).proxy_access[0].whitelisted_ips, ["2001:db8::7", "192.0.2.7"])
      const cleared = yield* whitelist([])
      assert.deepStrictEqual([cleared.status, cleared.body.whitelisted_ips], [200, []])
      assert.deepStrictEqual((yield* fetched).proxy_access[0].whitelisted_ips, [])
    })
  )

  it.effect("takes at most 100 addresses, and refuses texts that are no address", () =>
    Effect.gen(function* () {
      const { user, id, whitelist } = yield* start
      const many = Array.from({ length: 101 }, (_, index) => `198.51.100.${index}`)
      assert.lengthOf((yield* whitelist(many.slice(1))).body.whitelisted_ips, 100)
      const refused = (given: unknown) =>
        Effect.map(whitelist(given), ({ body, status }) => [status, body.detail[0].loc.join("."), body.detail[0].type])
      assert.deepStrictEqual(yield* refused(many), [422, "body.whitelisted_ips", "value_error"])
      for (const bad of [
        "",
        "host.example",
        "192.0.2.256",
        "192.0.2.0/24",
        "1",
        " 192.0.2.7",
        "fe80::1%eth0",
        "\u0000"
      ])
        assert.deepStrictEqual(yield* refused(["192.0.2.7", bad]), [422, "body.whitelisted_ips.1", "value_error"], bad)
      assert.deepStrictEqual(yield* refused([7]), [422, "body.whitelisted_ips.0", "type_error"])
      assert.deepStrictEqual(yield* refused(null), [422, "body.whitelisted_ips", "type_error"])
      const none = yield* call("PUT", `/v1/orders/${id}/whitelist`, { user, body: {} })
      assert.deepStrictEqual([none.status, none.body.detail[0].type], [422, "missing"])
    })
  )

  it.effect("stores the last whitelist of the provider after ten simultaneous changes", () =>
    Effect.gen(function* () {
      const { id, memory, fetched, whitelist } = yield* start
      const setAccess = memory.provider.setAccess ?? (() => Effect.die("cannot"))
      let delay = 50
      // The answers arrive in another order than the changes.
      const overtaking: typeof setAccess = (id, access) =>
        Effect.tap(setAccess(id, access), () => Effect.sleep((delay -= 5)))
      Reflect.set(memory.provider, "setAccess", overtaking)
      const answers = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => `203.0.113.${index}`),
        (address) => whitelist([address]),
        { concurrency: "unbounded" }
      )
      Reflect.set(memory.provider, "setAccess", setAccess)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200)
      )
      assert.strictEqual(memory.count("setAccess", memory.leases.get(id)?.proxy.provider_proxy_id), 10)
      assert.deepStrictEqual(
        (yield* fetched).proxy_access[0].whitelisted_ips,
        memory.leases.get(id)?.proxy.whitelisted_ips
      )
    })
  )

  it.effect("changes the protocol, and answers the new address of the proxy", () =>
    Effect.gen(function* () {
      const { user, id, memory, fetched } = yield* start
      const change = (protocol: string) => call("PUT", `/v1/orders/${id}/protocol`, { user, body: { protocol } })
      assert.strictEqual((yield* change("SOCKS5")).status, 200)
      assert.strictEqual(memory.leases.get(id)?.proxy.protocol, "SOCKS5")
      const { protocol, proxy_access } = yield* fetched
      assert.deepStrictEqual([protocol, proxy_access[0].protocol], ["SOCKS5", "SOCKS5"])
      const refused = yield* change("HTTPS")
      assert.deepStrictEqual([refused.status, refused.body.detail[0].loc], [422, ["body", "protocol"]])
    })
  )

  it.effect("answers the state and the traffic at the provider after a sync", () =>
    Effect.gen(function* () {
      const { user, id, memory, fetched } = yield* start
      memory.edit(id, { host: "198.51.100.9", used_gb: 1.5, bandwidth_gb: 40, whitelisted_ips: ["192.0.2.1"] })
      const { body, status } = yield* call("POST", `/v1/orders/${id}/sync`, { user })
      assert.deepStrictEqual(
        [status, body.order_id, body.status, body.whitelisted_ips, body.bandwidth_total_gb, body.bandwidth_used_gb],
        [200, id, "active", ["192.0.2.1"], 40, 1.5]
      )
      const [access] = (yield* fetched).proxy_access
      assert.deepStrictEqual([access.host, access.bandwidth_used_gb], ["198.51.100.9", 1.5])
    })
  )

  it.effect("cancels the order in a sync when the provider has ended the proxy", () =>
    Effect.gen(function* () {
      const { user, id, memory, fetched } = yield* start
      memory.edit(id, { is_live: false })
      const synced = yield* call("POST", `/v1/orders/${id}/sync`, { user })
      assert.deepStrictEqual([synced.status, synced.body.status], [200, "cancelled"])
      const order = yield* fetched
      assert.deepStrictEqual([order.status, order.proxy_access], ["cancelled", []])
      assert.strictEqual((yield* call("POST", `/v1/orders/${id}/sync`, { user })).status, 400)
    })
  )

  it.effect("replaces the credentials, the tags and at last the proxy of a static order, and charges nothing", () =>
    Effect.gen(function* () {
      const { user, id, memory, fetched } = yield* start
      const sql = yield* SqlClient.SqlClient
      const booked = sql`SELECT id FROM wallet_transaction WHERE user_id = ${user}`
      const [before, payments] = [yield* fetched, yield* booked]
      const post = (operation: string, body?: unknown) => call("POST", `/v1/orders/${id}/${operation}`, { user, body })
      const passwords = [
        { login: "scraper", password: "secret-0" },
        { login: "second", password: "secret-1" }
      ]
      const changed = yield* post("credentials", { passwords, ips: ["192.0.2.7"] })
      assert.deepInclude(changed.body, { username: "scraper", password: "secret-0", whitelisted_ips: ["192.0.2.7"] })
      assert.lengthOf(memory.leases.get(id)?.logins ?? [], 2)
      const [access] = (yield* fetched).proxy_access
      assert.deepStrictEqual(
        [access.username, access.host, access.port, access.expires_at],
        ["scraper", before.proxy_access[0].host, before.proxy_access[0].port, before.proxy_access[0].expires_at]
      )
      assert.deepInclude((yield* post("tags", { tags: ["b", "a"] })).body, { tags: ["b", "a"] })
      const released = yield* post("release")
      assert.deepInclude(released.body, { order_id: id, status: "cancelled", auto_renew: false })
      assert.isTrue(memory.leases.get(id)?.released)
      const { proxy_access, status } = yield* fetched
      assert.deepStrictEqual([status, proxy_access], ["cancelled", []])
      assert.strictEqual((yield* post("release")).status, 400)
      assert.lengthOf(yield* booked, payments.length)
    })
  )

  it.effect("replaces the notes of any order, and takes at most 1000 characters", () =>
    Effect.gen(function* () {
      const { user, id } = yield* start
      const patch = (notes: unknown, as: object = { user }) =>
        call("PATCH", `/v1/orders/${id}`, { ...as, body: { notes } })
      for (const notes of ["crawler", "ä".repeat(1000), "😀".repeat(1000)])
        assert.strictEqual((yield* patch(notes)).body.notes, notes)
      for (const notes of ["x".repeat(1001), "a\u0000", 7, null, undefined])
        assert.strictEqual((yield* patch(notes)).status, 422)
      assert.strictEqual((yield* patch("mine", { user: yield* customer })).status, 403)
      assert.strictEqual((yield* patch("mine", { key: `${user};orders:read` })).status, 403)
      assert.strictEqual(
        (yield* call("PATCH", `/v1/orders/${randomUUID()}`, { user, body: { notes: "" } })).status,
        404
      )
      yield* call("POST", `/v1/orders/${id}/release`, { user })
      const cleared = yield* patch("", { key: `${user};orders:write` })
      assert.deepStrictEqual([cleared.status, cleared.body.notes, cleared.body.status], [200, null, "cancelled"])
    })
  )

  it.effect("reads the result of a change at the next sync when its answer was lost", () =>
    Effect.gen(function* () {
      const { id, memory, whitelist } = yield* start
      const sql = yield* SqlClient.SqlClient
      memory.setDown(true)
      assert.strictEqual((yield* whitelist(["192.0.2.7"])).status, 503)
      memory.setDown(false)
      const [row] = yield* sql<{ sync_at: Date }>`SELECT sync_at FROM proxy_order WHERE id = ${id}`
      assert.isAtMost(row?.sync_at.getTime() ?? Infinity, (yield* DateTime.now).epochMilliseconds)
      const before = (yield* DateTime.now).epochMilliseconds
      yield* whitelist(["192.0.2.7"])
      const [later] = yield* sql<{ sync_at: Date }>`SELECT sync_at FROM proxy_order WHERE id = ${id}`
      assert.isAbove(later?.sync_at.getTime() ?? 0, before + 3_500_000)
    })
  )
})
