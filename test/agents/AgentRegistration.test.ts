import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import * as AgentCleanup from "../../src/agents/AgentCleanup.ts"
import { AgentRegistrationsRepo } from "../../src/agents/AgentRegistrationsRepo.ts"
import { newUser } from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const anonymous = { type: "anonymous", requested_credential_type: "api_key" }
const reading = ["catalog:read", "account:read", "orders:read", "wallet:read"]
const password = "correct horse battery staple"

const register = Effect.map(request("POST", "/agent/auth", { body: anonymous }), ({ body }) => body)

const claim = (claim_token: string, fields: object = {}) =>
  request("POST", "/agent/claim", {
    body: { claim_token, email: `${randomUUID()}@example.com`, password, ...fields }
  })

const statusOf = (key: string, path: string) =>
  Effect.map(request("GET", path, { key }), ({ body, status }) => [status, body.code ?? null])

const orders = (key: string) => statusOf(key, "/v1/orders")
const me = (key: string) => Effect.map(request("GET", "/v1/users/me", { key }), ({ body }) => body)

const registrations = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ id: string }>`SELECT id FROM agent_registration`, (rows) => rows.map(({ id }) => id))
)

const ownerOf = (registration_id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ user_id: UserId }>`
      SELECT user_id FROM agent_registration WHERE id = ${registration_id}
    `
    return yield* Effect.fromNullishOr(row?.user_id)
  })

const cleanup = Effect.provide(AgentCleanup.run, AgentRegistrationsRepo.layer)

layer(TestApp.layer())("Agent registration", (it) => {
  it.effect("gives an agent an API key, in the form of auth.md 0.1", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* request("POST", "/agent/auth", { body: anonymous })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      const { claim_token, credential, registration_id, ...rest } = body
      assert.match(registration_id, /^reg_[0-9a-f]{32}$/)
      assert.match(credential, /^prk_[\w-]{43}$/)
      assert.match(claim_token, /^clm_[\w-]{43}$/)
      assert.deepStrictEqual(rest, {
        registration_type: "anonymous",
        credential_type: "api_key",
        credential_expires: null,
        scopes: ["catalog:read"],
        claim_url: "http://localhost:8080/app/claim",
        claim_token_expires: "1970-01-31T00:00:00.000Z",
        post_claim_scopes: reading
      })
    })
  )

  it.effect("gives a key that reads only the catalog", () =>
    Effect.gen(function* () {
      const { credential } = yield* register
      assert.deepStrictEqual(yield* statusOf(credential, "/v1/catalog"), [200, null])
      for (const path of ["/v1/orders", "/v1/wallet", "/v1/users/me", "/v1/webhooks"])
        assert.deepStrictEqual(yield* statusOf(credential, path), [403, "INSUFFICIENT_SCOPE"], path)
    })
  )

  it.effect("explains the faults of a registration", () =>
    Effect.gen(function* () {
      for (const [sent, error] of [
        ["{", "invalid_request"],
        ["", "invalid_request"],
        ["[]", "invalid_request"],
        ["null", "invalid_request"],
        ["{}", "invalid_request"],
        ['{"type":"identity_assertion"}', "invalid_request"],
        ['{"type":"anonymous","requested_credential_type":7}', "invalid_request"],
        ['{"type":"anonymous","requested_credential_type":"access_token"}', "unsupported_credential_type"]
      ] as const) {
        const { body, headers, status } = yield* request("POST", "/agent/auth", { body: sent })
        assert.deepStrictEqual([status, body.error, Object.keys(body)], [400, error, ["error", "message"]], sent)
        assert.strictEqual(headers["cache-control"], "no-store")
      }
      const { body } = yield* request("POST", "/agent/auth", { body: { type: "somebody" } })
      assert.match(body.message, /^type: /)
    })
  )

  it.effect(
    "a claim makes a person the owner, who signs in and gets a verification mail; the key reads everything",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { claim_token, credential, registration_id } = yield* register
        assert.deepStrictEqual(yield* statusOf(credential, "/v1/orders"), [403, "INSUFFICIENT_SCOPE"])
        const { body, headers, status } = yield* claim(claim_token, { email: " Ada@Agents.Example.com", name: "Ada" })
        assert.deepStrictEqual([status, headers["cache-control"]], [200, "no-store"])
        for (const path of ["/v1/catalog", "/v1/orders", "/v1/wallet", "/v1/users/me"])
          assert.deepStrictEqual(yield* statusOf(credential, path), [200, null], path)
        assert.deepStrictEqual(yield* statusOf(credential, "/v1/webhooks"), [403, "INSUFFICIENT_SCOPE"])
        const owner = yield* me(credential)
        assert.deepStrictEqual(body, {
          registration_id,
          status: "claimed",
          user: { id: owner.id, email: "ada@agents.example.com" },
          scopes: reading
        })
        assert.deepStrictEqual(
          [owner.email, owner.name, owner.email_verified, owner.is_anonymous],
          ["ada@agents.example.com", "Ada", false, false]
        )
        const login = yield* request("POST", "/v1/auth/login", { body: { email: "ada@agents.example.com", password } })
        assert.deepStrictEqual([login.status, login.body.user.id], [200, owner.id])
        const mails = yield* sql`SELECT FROM email_outbox WHERE to_address = 'ada@agents.example.com'`
        assert.strictEqual(mails.length, 1)
      })
  )

  it.effect("a claim token works once, within 30 days", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* register, yield* register]
      assert.strictEqual((yield* claim(first.claim_token)).status, 200)
      yield* TestClock.adjust("30 days")
      for (const token of [first.claim_token, second.claim_token, `clm_${"A".repeat(43)}`, "clm", first.credential]) {
        const { body, status } = yield* claim(token)
        assert.deepStrictEqual(
          [status, body],
          [400, { error: "invalid_claim_token", message: "The claim token is unknown, expired or already used" }]
        )
      }
    })
  )

  it.effect("one of several concurrent claims succeeds", () =>
    Effect.gen(function* () {
      const { claim_token, credential } = yield* register
      const answers = yield* Effect.all(
        Array.from({ length: 6 }, () => claim(claim_token)),
        { concurrency: "unbounded" }
      )
      const won = answers.filter(({ status }) => status === 200)
      assert.strictEqual(won.length, 1)
      assert.strictEqual(answers.filter(({ body }) => body.error === "invalid_claim_token").length, 5)
      assert.strictEqual((yield* me(credential)).email, won[0]?.body.user.email)
    })
  )

  it.effect("a claim with the email of another account is refused, and works with another email", () =>
    Effect.gen(function* () {
      const { claim_token, credential } = yield* register
      const email = `${yield* newUser}@example.com`
      const { body, status } = yield* claim(claim_token, { email })
      assert.deepStrictEqual([status, body.error], [409, "email_taken"])
      assert.deepStrictEqual(yield* orders(credential), [403, "INSUFFICIENT_SCOPE"])
      // A caller without a claim token learns nothing about emails.
      assert.strictEqual((yield* claim("clm_x", { email })).body.error, "invalid_claim_token")
      assert.strictEqual((yield* claim(claim_token)).status, 200)
    })
  )

  it.effect("names the invalid fields of a claim", () =>
    Effect.gen(function* () {
      const { body, status } = yield* claim("", { email: "ada", password: "short", name: "" })
      assert.deepStrictEqual([status, body.error], [400, "invalid_request"])
      for (const field of ["claim_token: ", "email: ", "password: ", "name: "]) assert.include(body.message, field)
      assert.strictEqual((yield* request("POST", "/agent/claim", { body: "token" })).body.message, "Send a JSON object")
    })
  )

  it.effect("an agent revokes its own key, before or after the claim", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* register, yield* register]
      yield* claim(second.claim_token)
      const byBody = yield* request("POST", "/agent/revoke", { body: { credential: first.credential } })
      assert.deepStrictEqual([byBody.status, byBody.body], [200, { revoked: true }])
      const byHeader = yield* request("POST", "/agent/revoke", { key: second.credential })
      assert.deepStrictEqual([byHeader.status, byHeader.body], [200, { revoked: true }])
      for (const { credential } of [first, second])
        assert.deepStrictEqual(yield* statusOf(credential, "/v1/orders"), [401, "UNAUTHORIZED"])
      const again = yield* request("POST", "/agent/revoke", { body: { credential: first.credential } })
      assert.deepStrictEqual(again.body, { revoked: true })
      // A person can still claim the account, which has no key.
      assert.deepStrictEqual((yield* claim(first.claim_token)).body.scopes, [])
    })
  )

  it.effect("null in a field counts as absent", () =>
    Effect.gen(function* () {
      const body = { type: "anonymous", requested_credential_type: null }
      const { body: made } = yield* request("POST", "/agent/auth", { body })
      assert.strictEqual((yield* claim(made.claim_token, { name: null })).status, 200)
      const given = { key: made.credential, body: { credential: null } }
      assert.deepStrictEqual((yield* request("POST", "/agent/revoke", given)).body, { revoked: true })
      assert.deepStrictEqual(yield* orders(made.credential), [401, "UNAUTHORIZED"])
    })
  )

  it.effect("no other key can be revoked this way", () =>
    Effect.gen(function* () {
      const { claim_token } = yield* register
      const { body: claimed } = yield* claim(claim_token)
      const { body: session } = yield* request("POST", "/v1/auth/login", {
        body: { email: claimed.user.email, password }
      })
      const { body: made } = yield* request("POST", "/v1/api-keys", {
        user: session.access_token,
        body: { name: "of a person" }
      })
      for (const credential of [made.key, "prk_unknown", ""]) {
        const { body, status } = yield* request("POST", "/agent/revoke", { body: { credential } })
        assert.deepStrictEqual([status, body], [200, { revoked: true }])
      }
      assert.deepStrictEqual(yield* orders(made.key), [200, null])
      for (const body of ["{}", "", "[]", '{"credential":7}'])
        assert.deepStrictEqual((yield* request("POST", "/agent/revoke", { body })).body.error, "invalid_request")
    })
  )

  it.effect("pages of any origin may call, because agents run in browsers too", () =>
    Effect.gen(function* () {
      for (const path of ["/agent/auth", "/agent/claim", "/agent/revoke"]) {
        const { headers, status } = yield* request("OPTIONS", path)
        assert.deepStrictEqual([status, headers["access-control-allow-methods"]], [204, "POST"])
        assert.match(headers["access-control-allow-headers"] ?? "", /Content-Type.*X-API-Key/)
      }
    })
  )

  it.effect("the cleanup removes an unclaimed account without an order after 30 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("31 days")
      yield* cleanup
      const [left, claimed, customer] = [yield* register, yield* register, yield* register]
      yield* claim(claimed.claim_token)
      yield* OrderRows.offer
      const user_id = yield* ownerOf(customer.registration_id)
      yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(randomUUID(), user_id, yield* DateTime.now))}`
      const owner = yield* ownerOf(left.registration_id)
      yield* TestClock.adjust("30 days")
      yield* cleanup
      assert.include(yield* registrations, left.registration_id)
      yield* TestClock.adjust("1 second")
      yield* cleanup
      const kept = yield* registrations
      assert.notInclude(kept, left.registration_id)
      assert.includeMembers(kept, [claimed.registration_id, customer.registration_id])
      assert.deepStrictEqual(yield* orders(left.credential), [401, "UNAUTHORIZED"])
      assert.deepStrictEqual(yield* statusOf(customer.credential, "/v1/catalog"), [200, null])
      const [account] = yield* sql`SELECT deleted_at IS NOT NULL AS gone FROM user_account WHERE id = ${owner}`
      assert.deepStrictEqual(account, { gone: true })
    })
  )
})
