import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "../support/TestServer.ts"
import { basic, layer as server, post, redemption, told } from "./OAuthServer.ts"
import * as Testing from "./TokenTesting.ts"

const register = (body: unknown, headers: Record<string, string> = {}) =>
  request("POST", "/oauth/register", { body, headers })

const fault = (body: unknown, headers?: Record<string, string>) => Effect.map(register(body, headers), told)

const metadata = { client_name: "My app", redirect_uris: [Testing.redirectUri], scope: "catalog:read", contacts: [] }

layer(server())("Registration endpoint", (it) => {
  it.effect("returns the registered metadata, and the secret once", () =>
    Effect.gen(function* () {
      for (const token_endpoint_auth_method of ["none", "client_secret_post", "client_secret_basic"]) {
        const { body, headers, status } = yield* register({ ...metadata, token_endpoint_auth_method })
        assert.strictEqual(status, 201)
        assert.strictEqual(headers["cache-control"], "no-store")
        const { client_id, client_secret, ...rest } = body
        assert.match(client_id, /^dcr_[\w-]{43}$/)
        assert.strictEqual(client_secret !== undefined, token_endpoint_auth_method !== "none")
        assert.deepStrictEqual(rest, {
          client_id_issued_at: 0,
          client_secret_expires_at: 0,
          client_name: "My app",
          redirect_uris: [Testing.redirectUri],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          application_type: "web",
          token_endpoint_auth_method
        })
      }
    })
  )

  it.effect("registers clients that the token endpoint knows", () =>
    Effect.gen(function* () {
      const { body } = yield* register({ ...metadata, token_endpoint_auth_method: "client_secret_basic" })
      const one = yield* Testing.approve({ client_id: body.client_id })
      const { client_id, ...rest } = redemption(one)
      assert.strictEqual((yield* post("/oauth/token", rest, basic(client_id, body.client_secret))).status, 200)
    })
  )

  it.effect("accepts JSON objects, and refuses other bodies with OAuth error codes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fault("{"), [400, "invalid_client_metadata"])
      assert.deepStrictEqual(yield* fault("[]"), [400, "invalid_client_metadata"])
      assert.deepStrictEqual(yield* fault(""), [400, "invalid_client_metadata"])
      assert.deepStrictEqual(yield* fault("a=b", { "content-type": "application/x-www-form-urlencoded" }), [
        400,
        "invalid_client_metadata"
      ])
      assert.deepStrictEqual(yield* fault({ ...metadata, redirect_uris: ["http://example.com/"] }), [
        400,
        "invalid_redirect_uri"
      ])
    })
  )
})
