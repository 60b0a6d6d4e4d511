import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { request } from "../support/TestServer.ts"
import { approved, isRefused, layer as server, post, redemption, refresh, told } from "./OAuthServer.ts"
import * as Testing from "./TokenTesting.ts"

layer(server())("Redemption of codes", (it) => {
  it.effect("exchanges a code for tokens with the granted scopes, in a response that no cache stores", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* post("/oauth/token", redemption(yield* approved()))
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.strictEqual(headers["pragma"], "no-cache")
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      const { access_token, refresh_token, ...rest } = body
      assert.deepStrictEqual(rest, { token_type: "Bearer", expires_in: 900, scope: Testing.reading.join(" ") })
      assert.match(refresh_token, /^prt_[\w-]{43}$/)
      assert.isFalse(yield* isRefused(access_token))
    })
  )

  it.effect("gives no refresh token to a client without this grant type, and accepts none from it", () =>
    Effect.gen(function* () {
      const one = yield* approved({ grant_types: ["authorization_code"] })
      const { body } = yield* post("/oauth/token", redemption(one))
      assert.notProperty(body, "refresh_token")
      assert.deepStrictEqual(told(yield* refresh({ client: one.client, refresh_token: "prt_any" })), [
        400,
        "unauthorized_client"
      ])
      yield* TestClock.adjust("899 seconds")
      assert.isFalse(yield* isRefused(body.access_token))
    })
  )

  it.effect("refuses a code whose proof is wrong without consuming it", () =>
    Effect.gen(function* () {
      const one = yield* approved()
      const other = yield* Testing.newClient()
      const wrong = [
        { code_verifier: "a".repeat(43) },
        { code_verifier: "short" },
        { code_verifier: `${one.code_verifier}=` },
        { redirect_uri: `${Testing.redirectUri}/` },
        { client_id: other.id },
        { code: `${one.code}x` }
      ]
      for (const change of wrong)
        assert.deepStrictEqual(
          told(yield* post("/oauth/token", { ...redemption(one), ...change })),
          [400, "invalid_grant"],
          JSON.stringify(change)
        )
      assert.strictEqual((yield* post("/oauth/token", redemption(one))).status, 200)
    })
  )

  it.effect("refuses a verifier that is longer or shorter than RFC 7636 allows, even when it fits the challenge", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [verifier, status] of [
        ["v".repeat(42), 400],
        ["v".repeat(43), 200],
        ["-._~".repeat(32), 200],
        ["v".repeat(129), 400]
      ] as const) {
        const one = yield* approved()
        yield* sql`
          UPDATE oauth_connection
          SET code_challenge = rtrim(translate(encode(sha256(${verifier}::text::bytea), 'base64'), '+/', '-_'), '=')
          WHERE id = ${one.connection_id}
        `
        const answer = yield* post("/oauth/token", { ...redemption(one), code_verifier: verifier })
        assert.strictEqual(answer.status, status, String(verifier.length))
      }
    })
  )

  it.effect("ends the connection when a code is used twice, even after its expiry", () =>
    Effect.gen(function* () {
      const one = yield* approved()
      const { body } = yield* post("/oauth/token", redemption(one))
      yield* TestClock.adjust("2 minutes")
      const withoutProof = yield* post("/oauth/token", { ...redemption(one), code_verifier: "b".repeat(43) })
      assert.deepStrictEqual(told(withoutProof), [400, "invalid_grant"])
      assert.isNull(yield* Testing.revokedReason(one.connection_id))
      assert.deepStrictEqual(told(yield* post("/oauth/token", redemption(one))), [400, "invalid_grant"])
      assert.strictEqual(yield* Testing.revokedReason(one.connection_id), "code_reused")
      assert.deepStrictEqual(told(yield* refresh({ client: one.client, refresh_token: body.refresh_token })), [
        400,
        "invalid_grant"
      ])
      assert.deepStrictEqual(told(yield* post("/oauth/token", redemption(one))), [400, "invalid_grant"])
      const address = "127.0.0.1"
      assert.deepStrictEqual(yield* Testing.eventsOf(one.user_id), [
        { kind: "redeemed", reason: null, client_address: address },
        { kind: "code_reused", reason: null, client_address: address },
        { kind: "revoked", reason: "code_reused", client_address: null }
      ])
    })
  )

  it.effect("accepts a code for 60 seconds", () =>
    Effect.gen(function* () {
      const [early, late] = [yield* approved(), yield* approved()]
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* post("/oauth/token", redemption(early))).status, 200)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(told(yield* post("/oauth/token", redemption(late))), [400, "invalid_grant"])
    })
  )

  it.effect("accepts only the approved resource, in both forms, and another resource does not consume the code", () =>
    Effect.gen(function* () {
      for (const resource of ["http://localhost:8080", "https://elsewhere.example.com", "nonsense"]) {
        const one = yield* approved()
        const answer = yield* post("/oauth/token", { ...redemption(one), resource })
        assert.deepStrictEqual(told(answer), [400, "invalid_target"], resource)
        const { body } = yield* post("/oauth/token", { ...redemption(one), resource: Testing.mcpUrl })
        const refused = yield* refresh({ client: one.client, ...body }, { resource })
        assert.deepStrictEqual(told(refused), [400, "invalid_target"], resource)
        assert.strictEqual(
          (yield* refresh({ client: one.client, ...body }, { resource: `${Testing.mcpUrl}/` })).status,
          200
        )
      }
    })
  )

  it.effect("names a missing parameter, and refuses a body that is not a form", () =>
    Effect.gen(function* () {
      const one = yield* approved()
      const full: Record<string, string> = redemption(one)
      for (const name of Object.keys(full)) {
        const answer = yield* post("/oauth/token", { ...full, [name]: "" })
        assert.deepStrictEqual(answer.body, {
          error: "invalid_request",
          error_description: `Send the parameter ${name}`
        })
        assert.strictEqual(answer.status, 400)
      }
      const bare = yield* post("/oauth/token", { grant_type: "refresh_token", client_id: one.client_id })
      assert.deepStrictEqual(told(bare), [400, "invalid_request"])
      const repeated = yield* post("/oauth/token", [
        ...Object.entries(full),
        ["resource", Testing.mcpUrl],
        ["resource", ""]
      ])
      assert.deepStrictEqual(told(repeated), [400, "invalid_request"])
      assert.deepStrictEqual(told(yield* request("POST", "/oauth/token", { body: full })), [400, "invalid_request"])
      assert.deepStrictEqual(told(yield* request("POST", "/oauth/token")), [400, "invalid_request"])
      const control = yield* post("/oauth/token", { ...full, client_id: "dcr_\u0000" })
      assert.deepStrictEqual(told(control), [400, "invalid_request"])
      for (const grant_type of ["password", "client_credentials", "implicit", "AUTHORIZATION_CODE"])
        assert.deepStrictEqual(told(yield* post("/oauth/token", { ...full, grant_type })), [
          400,
          "unsupported_grant_type"
        ])
      assert.strictEqual((yield* post("/oauth/token", full)).status, 200)
    })
  )

  it.effect("answers preflight requests of browsers, and only POST otherwise", () =>
    Effect.gen(function* () {
      for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
        const preflight = yield* request("OPTIONS", path, { headers: { origin: "https://app.example.com" } })
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
        const { body, headers, status } = yield* request("GET", path)
        assert.deepStrictEqual([status, headers["allow"], body.error], [405, "POST, OPTIONS", "invalid_request"])
      }
    })
  )
})
