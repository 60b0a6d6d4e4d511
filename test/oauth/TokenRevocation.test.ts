import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { request } from "../support/TestServer.ts"
import { approved, isRefused, layer as server, post, redemption, refresh, told } from "./OAuthServer.ts"
import * as Testing from "./TokenTesting.ts"

const revoke = (client_id: string, token: string, more: object = {}) =>
  post("/oauth/revoke", { client_id, token, ...more })

layer(server())("Revocation endpoint", (it) => {
  it.effect("ends the connection with either token, whatever the hint", () =>
    Effect.gen(function* () {
      for (const kind of ["access_token", "refresh_token"] as const)
        for (const token_type_hint of ["access_token", "refresh_token", "other"]) {
          const one = yield* Testing.connected()
          const answer = yield* revoke(one.client.id, one[kind], { token_type_hint })
          assert.deepStrictEqual({ status: answer.status, body: answer.body }, { status: 200, body: null })
          assert.strictEqual(answer.headers["cache-control"], "no-store")
          assert.strictEqual(yield* Testing.revokedReason(one.connection_id), "client")
          assert.isTrue(yield* isRefused(one.access_token))
          assert.deepStrictEqual(told(yield* refresh(one)), [400, "invalid_grant"])
          assert.strictEqual((yield* revoke(one.client.id, one[kind])).status, 200)
        }
    })
  )

  it.effect("answers 200 for an unknown or expired token", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected()
      yield* TestClock.adjust("15 minutes")
      for (const token of [one.access_token, "prt_unknown", "nonsense", "a.b.c"])
        assert.strictEqual((yield* revoke(one.client.id, token)).status, 200, token)
      assert.isNull(yield* Testing.revokedReason(one.connection_id))
      assert.strictEqual((yield* refresh(one)).status, 200)
    })
  )

  it.effect("refuses a token of another client, which stays valid", () =>
    Effect.gen(function* () {
      const one = yield* Testing.connected()
      const other = yield* Testing.newClient()
      for (const token of [one.access_token, one.refresh_token])
        assert.deepStrictEqual(told(yield* revoke(other.id, token)), [400, "invalid_grant"])
      assert.isFalse(yield* isRefused(one.access_token))
    })
  )

  it.effect("authenticates as the token endpoint does, and needs a token", () =>
    Effect.gen(function* () {
      const one = yield* approved({ token_endpoint_auth_method: "client_secret_post" })
      const { body } = yield* post("/oauth/token", { ...redemption(one), client_secret: one.client.secret })
      assert.deepStrictEqual(told(yield* revoke(one.client_id, body.refresh_token)), [401, "invalid_client"])
      assert.deepStrictEqual(told(yield* revoke("dcr_unknown", body.refresh_token)), [401, "invalid_client"])
      const secret = { client_secret: one.client.secret }
      assert.deepStrictEqual(told(yield* revoke(one.client_id, "", secret)), [400, "invalid_request"])
      assert.deepStrictEqual(told(yield* request("POST", "/oauth/revoke", { body: { client_id: one.client_id } })), [
        400,
        "invalid_request"
      ])
      assert.strictEqual((yield* revoke(one.client_id, body.refresh_token, secret)).status, 200)
      assert.strictEqual(yield* Testing.revokedReason(one.connection_id), "client")
    })
  )
})
