import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as client from "openid-client"
import * as TestApp from "../../support/TestApp.ts"
import { approve, callback, issuer, reading } from "./ClientTesting.ts"

layer(TestApp.layerPublic, { excludeTestServices: true })("openid-client", (it) => {
  it.effect("discovers, registers, gets an approval, refreshes and revokes", () =>
    Effect.gen(function* () {
      const url = new URL(yield* issuer)
      const config = yield* Effect.promise(() =>
        client.dynamicClientRegistration(
          url,
          {
            client_name: "openid-client",
            redirect_uris: [callback],
            token_endpoint_auth_method: "client_secret_post"
          },
          undefined,
          // The library requires https, except with this switch. The other switch reads RFC 8414 metadata.
          { algorithm: "oauth2", execute: [client.allowInsecureRequests] }
        )
      )
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const expectedState = client.randomState()
      const parameters = {
        redirect_uri: callback,
        scope: `${reading} orders:write`,
        resource: `${config.serverMetadata().issuer}/mcp`,
        code_challenge: yield* Effect.promise(() => client.calculatePKCECodeChallenge(pkceCodeVerifier)),
        code_challenge_method: "S256",
        state: expectedState
      }
      const { callbackUrl } = yield* approve(client.buildAuthorizationUrl(config, parameters), { orders_write: "on" })
      const tokens = yield* Effect.promise(() =>
        client.authorizationCodeGrant(config, callbackUrl, { pkceCodeVerifier, expectedState })
      )
      assert.deepInclude(tokens, { token_type: "bearer", expires_in: 900, scope: `${reading} orders:write` })

      const refresh = (token = "", more: Record<string, string> = {}) =>
        Effect.tryPromise(() => client.refreshTokenGrant(config, token, more))
      const narrowed = yield* refresh(tokens.refresh_token, { scope: "catalog:read" })
      assert.strictEqual(narrowed.scope, "catalog:read")
      yield* Effect.promise(() => client.tokenRevocation(config, narrowed.access_token))
      const refused = yield* Effect.flip(refresh(narrowed.refresh_token))
      assert.instanceOf(refused.cause, client.ResponseBodyError)
      assert.strictEqual(refused.cause.error, "invalid_grant")
    })
  )

  it.effect("works with discovery alone, and reports a refusal with its error code", () =>
    Effect.gen(function* () {
      const url = new URL(yield* issuer)
      const config = yield* Effect.promise(() =>
        client.discovery(url, "dcr_unknown", undefined, client.None(), {
          algorithm: "oauth2",
          execute: [client.allowInsecureRequests]
        })
      )
      const refused = yield* Effect.flip(Effect.tryPromise(() => client.refreshTokenGrant(config, "prt_unknown")))
      assert.instanceOf(refused.cause, client.ResponseBodyError)
      assert.deepStrictEqual([refused.cause.error, refused.cause.status], ["invalid_client", 401])
    })
  )
})
