import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { UserId } from "../../../src/accounts/User.ts"
import { request } from "../../support/TestServer.ts"
import { layer as server, newPerson } from "../AccountsServer.ts"

const badFields: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
  ["name", { name: "" }],
  ["name", { name: "nul\u0000" }],
  ["name", { name: "two\nlines" }],
  ["name", { name: "two\u2028lines" }],
  ["name", { name: "two\u0085lines" }],
  ["scopes", { scopes: [] }],
  ["scopes", { scopes: ["everything"] }],
  ["expires_at", { expires_at: "tomorrow" }],
  ["expires_at", { expires_at: "1970-01-01T00:00:00.000Z" }],
  ["allowed_ips", { allowed_ips: [] }],
  ["allowed_ips", { allowed_ips: ["192.0.2.256"] }],
  ["allowed_ips", { allowed_ips: ["192.0.2.7/24"] }],
  ["allowed_ips", { allowed_ips: ["example.com"] }],
  ["daily_spend_limit_usd", { daily_spend_limit_usd: -1 }],
  ["daily_spend_limit_usd", { daily_spend_limit_usd: "5" }],
  ["daily_spend_limit_usd", { daily_spend_limit_usd: 0 }],
  ["daily_spend_limit_usd", { daily_spend_limit_usd: 1e-7 }],
  ["daily_spend_limit_usd", { daily_spend_limit_usd: 1.0000001 }]
]

const create = (user: string, body: unknown) => request("POST", "/v1/api-keys", { user, body })
const list = (user: string, query = "") => request("GET", `/v1/api-keys${query}`, { user })

const revoke = (user: string, id: string) => request("DELETE", `/v1/api-keys/${id}`, { user })
const names = ({ body }: { body: { api_keys: ReadonlyArray<{ name: string }> } }) =>
  body.api_keys.map(({ name }) => name)

layer(server())("API keys", (it) => {
  it.effect("a new key is shown once, with its restrictions in canonical form", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const { body, headers, status } = yield* create(access_token, {
        name: "Nightly crawler",
        scopes: ["orders:read", "catalog:read", "orders:read"],
        expires_at: "2030-01-01T00:00:00Z",
        allowed_ips: ["192.0.2.7", "2001:DB8:0::/32", "::ffff:192.0.2.8", "::ffff:10.0.0.0/104"],
        daily_spend_limit_usd: 25.5
      })
      assert.strictEqual(status, 201)
      assert.strictEqual(headers["cache-control"], "private, no-store")
      const { created_at, id, key, ...rest } = body
      assert.match(key, /^prk_[\w-]{43}$/)
      assert.match(created_at, /^1970-.*Z$/)
      assert.deepStrictEqual(rest, {
        name: "Nightly crawler",
        prefix: key.slice(0, 12),
        scopes: ["orders:read", "catalog:read"],
        expires_at: "2030-01-01T00:00:00.000Z",
        allowed_ips: ["192.0.2.7", "2001:db8::/32", "192.0.2.8", "10.0.0.0/8"],
        daily_spend_limit_usd: 25.5,
        last_used_at: null
      })
      const listed = yield* list(access_token)
      assert.deepStrictEqual(listed.body, {
        api_keys: [{ id, created_at, ...rest }],
        total: 1,
        limit: 50,
        offset: 0
      })
      const sql = yield* SqlClient.SqlClient
      assert.notInclude(JSON.stringify(yield* sql`SELECT prefix, key_hash FROM api_key`), key.slice(12))
    })
  )

  it.effect("a key with only a name, or with null settings, is unrestricted", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const unrestricted = { scopes: null, expires_at: null, allowed_ips: null, daily_spend_limit_usd: null }
      for (const settings of [{ name: "plain" }, { name: "nulls", ...unrestricted }]) {
        const { body, status } = yield* create(access_token, settings)
        assert.strictEqual(status, 201)
        assert.deepInclude(body, unrestricted)
      }
    })
  )

  it.effect.each(badFields)("a bad %s answers 422: %j", ([field, bad]) =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const { body, status } = yield* create(access_token, { name: "bad", ...bad })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.detail[0].loc.slice(0, 2), ["body", field])
    })
  )

  it.effect("a network with host bits is refused, with the probable network in the error", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const { body } = yield* create(access_token, { name: "bad", allowed_ips: ["10.0.0.1/8"] })
      assert.include(body.detail[0].msg, "has host bits set; its network is 10.0.0.0/8")
    })
  )

  it.effect("an owner lists the own keys in pages, the newest first", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const stranger = yield* newPerson
      for (const name of ["first", "second", "third"]) {
        yield* create(access_token, { name })
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(names(yield* list(access_token)), ["third", "second", "first"])
      const page = yield* list(access_token, "?limit=1&offset=1")
      assert.deepStrictEqual(names(page), ["second"])
      assert.strictEqual(page.body.total, 3)
      assert.strictEqual((yield* list(stranger.access_token)).body.total, 0)
      assert.strictEqual((yield* list(access_token, "?limit=101")).status, 422)
    })
  )

  it.effect("only the owner revokes a key, once", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const stranger = yield* newPerson
      const { body } = yield* create(access_token, { name: "to revoke" })
      const foreign = yield* revoke(stranger.access_token, body.id)
      assert.deepStrictEqual(
        { status: foreign.status, body: foreign.body },
        { status: 403, body: { detail: "The API key belongs to another account", code: "FORBIDDEN" } }
      )
      assert.strictEqual((yield* revoke(access_token, body.id)).status, 204)
      assert.strictEqual((yield* revoke(access_token, body.id)).status, 404)
      assert.strictEqual((yield* revoke(access_token, "not-an-id")).status, 422)
    })
  )

  it.effect("an account that is deleted during the creation of a key gets no key", () =>
    Effect.gen(function* () {
      const { user } = yield* newPerson
      const sql = yield* SqlClient.SqlClient
      const owner = UserId.make(user.id)
      yield* sql`
        UPDATE user_account SET email = NULL, password_hash = NULL, signup_address = NULL, deleted_at = now()
        WHERE id = ${owner}
      `
      const apiKeys = yield* ApiKeys
      const error = yield* Effect.flip(apiKeys.create(owner, { name: "too late" }))
      assert.strictEqual(error._tag, "UserNotFound")
      assert.isEmpty(yield* sql`SELECT id FROM api_key WHERE user_id = ${owner}`)
    }).pipe(Effect.provide(ApiKeys.layer))
  )

  it.effect("an account has at most a hundred keys, also with concurrent requests", () =>
    Effect.gen(function* () {
      const { access_token, user } = yield* newPerson
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO api_key (id, user_id, name, prefix, key_hash, created_at)
        SELECT gen_random_uuid(), ${user.id}::uuid, 'many', 'prk_', encode(sha256(n::text::bytea), 'hex'), to_timestamp(0)
        FROM generate_series(1, 98) n
      `
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => create(access_token, { name: "more" })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409, 409])
      const refused = answers.find(({ status }) => status === 409)
      assert.deepStrictEqual(refused?.body.details, { reason: "too_many_api_keys" })
    })
  )

  it.effect("a client cannot choose its address when no proxy is trusted", () =>
    Effect.gen(function* () {
      const { access_token } = yield* newPerson
      const local = yield* create(access_token, { name: "local", allowed_ips: ["127.0.0.0/8", "::1"] })
      const remote = yield* create(access_token, { name: "remote", allowed_ips: ["192.0.2.7"] })
      const headers = { "x-forwarded-for": "192.0.2.7" }
      const me = (key: string) => Effect.map(request("GET", "/v1/users/me", { key, headers }), ({ status }) => status)
      assert.strictEqual(yield* me(local.body.key), 200)
      assert.strictEqual(yield* me(remote.body.key), 403)
    })
  )
})
