import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ProfileApi } from "../../src/accounts/users/ProfileApi.ts"
import { UsersApi } from "../../src/accounts/users/UsersApi.ts"
import { request } from "../support/TestServer.ts"
import { layer as server, newPerson } from "./AccountsServer.ts"

const unauthorized = {
  detail: "The credentials are missing, expired or malformed; sign in again, or send a valid API key in X-API-Key",
  code: "UNAUTHORIZED"
}

const sessionNeeded = {
  detail: "The session token is missing or has expired; sign in again. This operation does not accept API keys",
  code: "UNAUTHORIZED"
}

/** A new person with an API key. */
const newKey = Effect.fnUntraced(function* (settings: Record<string, unknown> = {}) {
  const person = yield* newPerson
  const { body } = yield* request("POST", "/v1/api-keys", {
    user: person.access_token,
    body: { name: "test", ...settings }
  })
  return { ...person, id: String(body.id), key: String(body.key) }
})

const read = (options: { key?: string; user?: string; body?: unknown; headers?: Record<string, string> }) =>
  request("POST", "/probe/orders-read", { body: { n: 1 }, ...options })

layer(server({ TRUST_PROXY: "1" }))("Authentication", (it) => {
  it.effect("an unrestricted key and a session may call everything, a request without credentials nothing", () =>
    Effect.gen(function* () {
      const { access_token, key, user } = yield* newKey()
      assert.deepStrictEqual((yield* read({ key })).body, { caller: user.id, limit: "null" })
      assert.deepStrictEqual((yield* read({ user: access_token })).body, { caller: user.id, limit: "session" })
      assert.strictEqual((yield* request("POST", "/probe/full-access", { key })).status, 204)
      assert.strictEqual((yield* request("POST", "/probe/full-access", { user: access_token })).status, 204)
      for (const options of [{}, { key: "prk_nothing" }, { key: `prk_${"A".repeat(43)}` }, { user: key }]) {
        const { body, status } = yield* read(options)
        assert.deepStrictEqual({ status, body }, { status: 401, body: unauthorized })
      }
    })
  )

  it.effect("the API key decides when a request has both credentials", () =>
    Effect.gen(function* () {
      const { access_token, key, user } = yield* newKey()
      const other = yield* newPerson
      assert.strictEqual((yield* read({ key, user: other.access_token })).body.caller, user.id)
      assert.strictEqual((yield* read({ key: "prk_nothing", user: access_token })).status, 401)
    })
  )

  it.effect("a restricted key may do what its scopes allow, which is checked before the body", () =>
    Effect.gen(function* () {
      const reader = yield* newKey({ scopes: ["orders:read"] })
      const catalog = yield* newKey({ scopes: ["catalog:read"] })
      assert.strictEqual((yield* read({ key: reader.key })).status, 200)
      assert.strictEqual((yield* read({ key: reader.key, body: { n: "x" } })).status, 422)

      const lacking = yield* read({ key: catalog.key, body: { n: "x" } })
      assert.strictEqual(lacking.status, 403)
      assert.deepStrictEqual(lacking.body, {
        detail: "The credential lacks the scope that this operation needs",
        code: "INSUFFICIENT_SCOPE",
        details: { required_scope: "orders:read" }
      })
      const restricted = yield* request("POST", "/probe/full-access", { key: reader.key })
      assert.strictEqual(restricted.status, 403)
      assert.deepStrictEqual(restricted.body.details, { required_scope: "full-access" })
    })
  )

  it.effect("account:read reads the profile, and the other account operations need a session", () =>
    Effect.gen(function* () {
      const { key, user } = yield* newKey({ scopes: ["account:read"] })
      const other = yield* newKey({ scopes: ["wallet:read"] })
      const me = yield* request("GET", "/v1/users/me", { key })
      assert.deepStrictEqual({ status: me.status, body: me.body }, { status: 200, body: user })
      assert.strictEqual((yield* request("GET", "/v1/users/me", { key: other.key })).status, 403)
      const unrestricted = yield* newKey()
      for (const [method, path] of [
        ["PATCH", "/users/me"],
        ["DELETE", "/users/me"],
        ["GET", "/users/me/referrals"],
        ["POST", "/auth/logout"],
        ["POST", "/auth/logout-all"],
        ["POST", "/auth/password"],
        ["POST", "/auth/email/verify/resend"],
        ["POST", "/api-keys"],
        ["GET", "/api-keys"],
        ["DELETE", `/api-keys/${unrestricted.id}`]
      ] as const) {
        const { body, status } = yield* request(method, `/v1${path}`, { key: unrestricted.key })
        assert.deepStrictEqual({ status, body }, { status: 401, body: sessionNeeded }, `${method} ${path}`)
      }
    })
  )

  it.effect("an expired key, a revoked key and a key of a deleted account are refused", () =>
    Effect.gen(function* () {
      const expires_at = "1970-01-01T01:00:00.000Z"
      const expiring = yield* newKey({ expires_at })
      const revoked = yield* newKey()
      assert.strictEqual((yield* read({ key: expiring.key })).status, 200)
      yield* TestClock.setTime(Date.parse(expires_at))
      assert.strictEqual((yield* read({ key: expiring.key })).status, 401)

      assert.strictEqual((yield* read({ key: revoked.key })).status, 200)
      const again = yield* request("POST", "/v1/auth/login", {
        body: { email: revoked.email, password: "correct horse battery staple" }
      })
      yield* request("DELETE", `/v1/api-keys/${revoked.id}`, { user: again.body.access_token })
      assert.strictEqual((yield* read({ key: revoked.key })).status, 401)

      const deleted = yield* newKey()
      yield* request("DELETE", "/v1/users/me", {
        user: deleted.access_token,
        body: { password: "correct horse battery staple" }
      })
      assert.strictEqual((yield* read({ key: deleted.key })).status, 401)
    })
  )

  it.effect("a key works only from its allowed addresses, as the trusted proxy reports them", () =>
    Effect.gen(function* () {
      const { key } = yield* newKey({ allowed_ips: ["192.0.2.7", "198.51.100.0/24", "2001:DB8::/32"] })
      const from = (forwarded: string) =>
        Effect.map(read({ key, headers: { "x-forwarded-for": forwarded } }), ({ status }) => status)
      assert.strictEqual(yield* from("192.0.2.7"), 200)
      assert.strictEqual(yield* from("203.0.113.1, 198.51.100.200"), 200)
      assert.strictEqual(yield* from("::ffff:192.0.2.7"), 200)
      assert.strictEqual(yield* from("2001:db8:1::1"), 200)
      assert.strictEqual(yield* from("192.0.2.8"), 403)
      assert.strictEqual(yield* from("192.0.2.7, 203.0.113.1"), 403)
      assert.strictEqual(yield* from("2001:db9::1"), 403)
      assert.strictEqual(yield* from("nonsense"), 403)
      const refused = yield* read({ key })
      assert.deepStrictEqual(refused.body, {
        detail: "The key does not allow requests from this address; its allowed_ips list the addresses it allows",
        code: "FORBIDDEN"
      })
    })
  )

  it("an operation for sessions only does not document errors of API keys", () => {
    const { paths } = OpenApi.fromApi(HttpApi.make("test").add(UsersApi, ProfileApi))
    const statuses = (path: string) => Object.keys(paths[path]?.get?.responses ?? {})
    assert.deepStrictEqual(statuses("/users/me/referrals"), ["200", "401", "404", "429"])
    assert.deepStrictEqual(statuses("/users/me"), ["200", "401", "403", "404", "429"])
  })

  it.effect("the caller carries the key's spend limit, and the last use is recorded to the minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, key } = yield* newKey({ daily_spend_limit_usd: 12.345678 })
      const lastUse = Effect.map(
        sql<{ last_used_at: Date | null }>`SELECT last_used_at FROM api_key WHERE id = ${id}`,
        ([row]) => row?.last_used_at?.getTime() ?? null
      )
      assert.isNull(yield* lastUse)
      assert.strictEqual((yield* read({ key })).body.limit, "12345678")
      const first = yield* lastUse
      yield* TestClock.adjust("59 seconds")
      yield* read({ key })
      assert.strictEqual(yield* lastUse, first)
      yield* TestClock.adjust("1 second")
      yield* read({ key })
      assert.strictEqual(yield* lastUse, (first ?? 0) + 60_000)
    })
  )
})
