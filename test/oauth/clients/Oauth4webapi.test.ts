import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import * as TestApp from "../../support/TestApp.ts"
import { approve, callback, issuer, reading } from "./ClientTesting.ts"

/** The library requires https, except with this switch. */
const insecure = { [oauth.allowInsecureRequests]: true }

const discover = Effect.fnUntraced(function* () {
  const url = new URL(yield* issuer)
  return yield* Effect.promise(async () =>
    oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm: "oauth2", ...insecure }))
  )
})

const register = (server: oauth.AuthorizationServer, metadata: object) =>
  Effect.promise(async () =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: "oauth4webapi", redirect_uris: [callback], ...metadata },
        insecure
      )
    )
  )

/** Goes from the authorization URL to the tokens, as the example of the library does. */
const authorize = Effect.fnUntraced(function* (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  parameters: Record<string, string> = {}
) {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(server.authorization_endpoint ?? "")
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: callback,
    response_type: "code",
    code_challenge: yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
    code_challenge_method: "S256",
    state,
    ...parameters
  }).toString()
  const { account, callbackUrl } = yield* approve(url)
  const tokens = yield* Effect.promise(async () => {
    const answer = oauth.validateAuthResponse(server, client, callbackUrl, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      answer,
      callback,
      verifier,
      insecure
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  })
  return { account, tokens }
})

const refresh = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  token: string
) =>
  Effect.tryPromise(async () =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure)
    )
  )

const claimsOf = (server: oauth.AuthorizationServer, access_token: string, audience: string) =>
  Effect.promise(() =>
    oauth.validateJwtAccessToken(
      server,
      new Request(audience, { headers: { authorization: `Bearer ${access_token}` } }),
      audience,
      insecure
    )
  )

layer(TestApp.layerPublic, { excludeTestServices: true })("oauth4webapi", (it) => {
  it.effect("works as a public client: discovers, registers, gets an approval, refreshes and revokes", () =>
    Effect.gen(function* () {
      const server = yield* discover()
      const client = yield* register(server, { token_endpoint_auth_method: "none" })
      const { account, tokens } = yield* authorize(server, client, oauth.None())
      assert.deepInclude(tokens, { token_type: "bearer", expires_in: 900, scope: reading })

      const resource = `${server.issuer}/mcp`
      const claims = yield* claimsOf(server, tokens.access_token, resource)
      assert.deepInclude(claims, {
        iss: server.issuer,
        sub: account.id,
        aud: resource,
        client_id: client.client_id,
        scope: reading
      })

      const refreshed = yield* refresh(server, client, oauth.None(), tokens.refresh_token ?? "")
      yield* claimsOf(server, refreshed.access_token, resource)
      yield* Effect.promise(async () =>
        oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? "", insecure)
        )
      )
      const refused = yield* Effect.flip(refresh(server, client, oauth.None(), refreshed.refresh_token ?? ""))
      assert.instanceOf(refused.cause, oauth.ResponseBodyError)
      assert.strictEqual(refused.cause.error, "invalid_grant")
    })
  )

  it.effect("authenticates with a secret in both ways, for another resource and for chosen scopes", () =>
    Effect.gen(function* () {
      const server = yield* discover()
      for (const [method, authenticationBy] of [
        ["client_secret_post", oauth.ClientSecretPost],
        ["client_secret_basic", oauth.ClientSecretBasic]
      ] as const) {
        const client = yield* register(server, { token_endpoint_auth_method: method })
        const authentication = authenticationBy(client.client_secret as string)
        const { tokens } = yield* authorize(server, client, authentication, {
          resource: server.issuer,
          scope: "orders:read orders:write"
        })
        // The person did not tick the box.
        assert.strictEqual(tokens.scope, "orders:read")
        const { aud } = yield* claimsOf(server, tokens.access_token, server.issuer)
        assert.strictEqual(aud, server.issuer)
        yield* refresh(server, client, authentication, tokens.refresh_token ?? "")
      }
    })
  )
})
