import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { frozenTime } from "../../support/FrozenTime.ts"
import * as Gate from "../../support/Gate.ts"
import { request as call } from "../../support/TestServer.ts"
import { mobileProxy, pendingChange, server, without } from "./ManagementTesting.ts"
import { settled } from "../../support/Settled.ts"

const fault = ({ body, status }: { status: number; body: any }) => [
  status,
  body.code,
  body.detail.map(({ loc }: any) => loc.join("."))
]

const logins = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ login: `login${index}`, password: `secret-${index}` }))

const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`)

layer(server, { excludeTestServices: true })("Mobile proxies API", (it) => {
  it.effect("a reset changes the exit address and nothing else", () =>
    Effect.gen(function* () {
      const { post, fetched } = yield* mobileProxy
      const before = (yield* fetched).body
      const after = (yield* post("reset")).body
      assert.strictEqual(after.current_ip, "198.51.100.2")
      const moved = { current_ip: after.current_ip, updated_at: after.updated_at }
      assert.deepStrictEqual({ ...before, ...moved }, after)
      assert.deepStrictEqual((yield* fetched).body, after)
    })
  )

  it.effect("a proxy is reset at most once in five seconds, even for simultaneous requests", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { id, lease, memory, post } = yield* mobileProxy
      const sql = yield* SqlClient.SqlClient
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => post("reset")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 429, 429, 429, 429]
      )
      for (const { body, headers } of answers.filter(({ status }) => status === 429)) {
        assert.strictEqual(body.code, "RATE_LIMITED")
        assert.deepStrictEqual(Object.keys(body.details), ["retry_after"])
        assert.include([1, 2, 3, 4, 5], body.details.retry_after)
        assert.strictEqual(headers["retry-after"], String(body.details.retry_after))
      }
      const proxyId = (yield* lease)?.proxy.provider_proxy_id
      assert.strictEqual(memory.count("rotate", proxyId), 1)
      yield* sql`UPDATE proxy_order SET rotated_at = rotated_at - interval '5 seconds' WHERE id = ${id}`
      assert.strictEqual((yield* post("reset")).status, 200)
      assert.strictEqual(memory.count("rotate", proxyId), 2)
    })
  )

  it.effect("a reset counts even if the client disconnects", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const { lease, memory, post } = yield* mobileProxy
      const rotate = memory.provider.rotate ?? (() => Effect.die("cannot"))
      const gate = yield* Gate.make
      Reflect.set(memory.provider, "rotate", (id: string) => Effect.tap(rotate(id), () => gate.pass))
      const leaving = yield* Effect.forkChild(post("reset"))
      yield* gate.reached
      yield* Fiber.interrupt(leaving)
      yield* gate.open
      Reflect.set(memory.provider, "rotate", rotate)
      yield* settled
      assert.strictEqual((yield* lease)?.proxy.current_ip, "198.51.100.2")
      assert.strictEqual((yield* post("reset")).status, 429)
      assert.strictEqual((yield* lease)?.proxy.current_ip, "198.51.100.2")
    })
  )

  it.effect("a reset that the provider did not make may be repeated immediately", () =>
    Effect.gen(function* () {
      const { memory, post } = yield* mobileProxy
      memory.setDown(true)
      assert.strictEqual((yield* post("reset")).status, 503)
      memory.setDown(false)
      assert.strictEqual((yield* post("reset")).status, 200)
    })
  )

  it.effect("credentials replace the given lists and keep the other", () =>
    Effect.gen(function* () {
      const { lease, post } = yield* mobileProxy
      const both = yield* post("credentials", { ips: ["2001:DB8::0:7", "::ffff:192.0.2.1"], passwords: logins(20) })
      assert.deepStrictEqual(
        [both.status, both.body.username, both.body.password, both.body.whitelisted_ips],
        [200, "login0", "secret-0", ["2001:db8::7", "192.0.2.1"]]
      )
      assert.lengthOf((yield* lease)?.logins ?? [], 20)
      const ips = yield* post("credentials", { ips: [] })
      assert.deepStrictEqual([ips.body.username, ips.body.whitelisted_ips], ["login0", []])
      assert.lengthOf((yield* lease)?.logins ?? [], 20)
      yield* post("credentials", { ips: addresses(20) })
      const passwords = yield* post("credentials", {
        passwords: [{ login: "~!@".padEnd(64, "x"), password: "p: ".padEnd(128, "w") }]
      })
      assert.strictEqual(passwords.status, 200)
      assert.deepStrictEqual(passwords.body.whitelisted_ips, addresses(20))
      assert.lengthOf((yield* lease)?.logins ?? [], 1)
    })
  )

  it.effect.each<readonly [string, unknown, string]>([
    ["neither list", {}, "body"],
    ["no login at all", { passwords: [] }, "body.passwords"],
    ["21 logins", { passwords: logins(21) }, "body.passwords"],
    ["21 addresses", { ips: addresses(21) }, "body.ips"],
    ["a login twice", { passwords: [...logins(2), ...logins(1)] }, "body.passwords"],
    ["what is no address", { ips: ["192.0.2.0/24"] }, "body.ips.0"],
    ["null for both lists", { ips: null, passwords: null }, "body"],
    ["an empty login", { passwords: [{ login: "", password: "secret-0" }] }, "body.passwords.0.login"],
    ["a login with a colon", { passwords: [{ login: "a:b", password: "secret-0" }] }, "body.passwords.0.login"],
    ["a login with a space", { passwords: [{ login: "a b", password: "secret-0" }] }, "body.passwords.0.login"],
    ["a login of 65", { passwords: [{ login: "a".repeat(65), password: "secret-0" }] }, "body.passwords.0.login"],
    ["a short password", { passwords: [{ login: "a", password: "secret7" }] }, "body.passwords.0.password"],
    ["a password of 129", { passwords: [{ login: "a", password: "p".repeat(129) }] }, "body.passwords.0.password"],
    ["a password with NUL", { passwords: [{ login: "a", password: "secret\u0000-0" }] }, "body.passwords.0.password"],
    ["a login alone", { passwords: [{ login: "a" }] }, "body.passwords.0.password"]
  ])("credentials with %s are refused", ([, body, at]) =>
    Effect.gen(function* () {
      const { lease, post } = yield* mobileProxy
      assert.deepStrictEqual(fault(yield* post("credentials", body)), [422, "VALIDATION_ERROR", [at]])
      assert.strictEqual((yield* lease)?.proxy.username, (yield* lease)?.logins[0]?.username)
      assert.deepStrictEqual((yield* lease)?.proxy.whitelisted_ips, [])
    })
  )

  it.effect("a signature must be one of the provider; the refusal of another lists them", () =>
    Effect.gen(function* () {
      const { post, fetched } = yield* mobileProxy
      assert.strictEqual((yield* post("signature", { signature: "ios" })).body.signature, "ios")
      assert.strictEqual((yield* fetched).body.signature, "ios")
      const refused = yield* post("signature", { signature: "amiga" })
      assert.deepStrictEqual(fault(refused), [422, "VALIDATION_ERROR", ["body.signature"]])
      assert.include(refused.body.detail[0].msg, "android, ios, linux, windows")
      for (const body of [{}, { signature: "" }, { signature: "a\u0000" }, { signature: null }])
        assert.strictEqual((yield* post("signature", body)).status, 422)
    })
  )

  it.effect("tags are stored unchanged, replaced as a whole, and removed by an empty list", () =>
    Effect.gen(function* () {
      const { post, fetched } = yield* mobileProxy
      const most = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100, "ä"))
      for (const tags of [["b", "a", "b"], most, []]) {
        const set = yield* post("tags", { tags })
        assert.deepStrictEqual([set.status, set.body.tags], [200, tags])
        assert.deepStrictEqual((yield* fetched).body, set.body)
      }
      for (const tags of [[...most, "x"], ["x".repeat(101)], [""], ["a\u0000"], [7], null])
        assert.strictEqual((yield* post("tags", { tags })).status, 422)
    })
  )

  it.effect("a release ends proxy and order permanently, and answers the final snapshot", () =>
    Effect.gen(function* () {
      const { id, lease, post, fetched } = yield* mobileProxy
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET auto_renew = true WHERE id = ${id}`
      yield* post("tags", { tags: ["mine"] })
      const released = yield* post("release")
      const { auto_renew, current_ip, order_status, signature, status, tags } = released.body
      assert.deepStrictEqual(
        [released.status, status, order_status, current_ip, signature, tags, auto_renew],
        [200, "cancelled", "cancelled", null, null, [], false]
      )
      assert.isTrue((yield* lease)?.released)
      assert.deepStrictEqual((yield* fetched).body, released.body)
      const again = yield* post("release")
      assert.deepStrictEqual([again.status, again.body.code], [400, "BAD_REQUEST"])
    })
  )

  it.effect("a release also ends the order when the provider cannot take the proxy back", () =>
    Effect.gen(function* () {
      const { post } = yield* mobileProxy
      const released = yield* without("release", post("release"))
      assert.deepStrictEqual([released.status, released.body.order_status], [200, "cancelled"])
    })
  )

  it.effect("a release is refused while a proxy change is pending", () =>
    Effect.gen(function* () {
      const { id, lease, post } = yield* mobileProxy
      yield* pendingChange(id)
      const refused = yield* post("release")
      assert.deepStrictEqual([refused.status, refused.body.details], [409, { reason: "operation_in_progress" }])
      assert.isFalse((yield* lease)?.released)
    })
  )

  it.effect("the list of signatures requires a signed-in person", () =>
    Effect.gen(function* () {
      const { user } = yield* mobileProxy
      const path = "/v1/orders/mobile-signatures"
      const list = yield* call("GET", path, { user })
      assert.deepStrictEqual([list.status, list.body], [200, ["android", "ios", "linux", "windows"]])
      assert.strictEqual((yield* call("GET", path, { key: user })).status, 401)
      assert.strictEqual((yield* call("GET", path)).status, 401)
    })
  )
})
