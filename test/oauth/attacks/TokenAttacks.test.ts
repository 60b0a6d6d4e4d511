import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT
} from "jose"
import { AccessTokenVerifier } from "../../../src/oauth/AccessTokenVerifier.ts"
import { access } from "../../contract/AccessTable.ts"
import { call, newKey, operations } from "../../contract/ContractTesting.ts"
import { authorizeUrl, http, redeem, authorizationResponse } from "../../dashboard/PagesTesting.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { connected, connectionsOf, post, soon } from "./AttackTesting.ts"

const verify = (token: string) => AccessTokenVerifier.use((verifier) => verifier.verify(token))

const scopesOf = (token: string) =>
  Effect.map(
    verify(token),
    Option.map(({ scopes }) => scopes)
  )

/** Encodes a header or claims as a part of a token. */
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The private key of the service, which only a thief of its database has. */
const stolenKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ private_jwk: JWK }>`SELECT private_jwk FROM signing_key WHERE retired_at IS NULL`
  return yield* Effect.promise(() => importJWK({ ...row?.private_jwk }, "ES256"))
})

layer(TestApp.layer(), { excludeTestServices: true })("Attacks with tokens", (it) => {
  it.effect(
    "an OAuth token opens no operation of the REST API: it answers 401, and 403 where full access is needed",
    () =>
      Effect.gen(function* () {
        const { access_token } = yield* connected({ scopes: ["orders:read", "orders:write"] }, { orders_write: "on" })
        const guarded = (yield* operations).filter(({ name }) => access[name] !== "anyone")
        assert.isNotEmpty(guarded)
        for (const operation of guarded) {
          const { body, status } = yield* call(operation, { user: access_token })
          // Managing webhooks needs full access (docs/contract.md, "API keys and scopes").
          const expected =
            access[operation.name] === "full-access"
              ? [403, "INSUFFICIENT_SCOPE", { required_scope: "full-access" }]
              : [401, "UNAUTHORIZED", undefined]
          assert.deepStrictEqual([status, body.code, body.details], expected, operation.name)
        }
      })
  )

  it.effect("an OAuth token as an API key, in the query, in a form or at the pages is no credential", () =>
    Effect.gen(function* () {
      const { access_token } = yield* connected()
      assert.strictEqual((yield* request("GET", "/v1/orders", { key: access_token })).status, 401)
      assert.strictEqual((yield* request("GET", `/v1/orders?access_token=${access_token}`)).status, 401)
      assert.strictEqual((yield* post("/v1/orders", { access_token })).status, 401)
      const { body } = yield* request("GET", "/app/connections", { headers: { cookie: `session=${access_token}` } })
      assert.include(body, "Sign in")
    })
  )

  it.effect("a session token, an API key and a refresh token are no access tokens", () =>
    Effect.gen(function* () {
      const { access_token, account, refresh_token } = yield* connected()
      assert.isTrue(Option.isSome(yield* verify(access_token)))
      for (const token of [account.token, yield* newKey(account.token), refresh_token, `Bearer ${access_token}`])
        assert.isTrue(Option.isNone(yield* verify(token)))
    })
  )

  it.effect("one kind of secret in the place of another is unknown, and ends nothing", () =>
    Effect.gen(function* () {
      const { access_token, account, browser, client, code, refresh_token } = yield* connected()
      const { body: session } = yield* request("POST", "/v1/auth/login", {
        body: { email: account.email, password: "correct horse battery staple" }
      })
      const refresh = (token: string) =>
        post("/oauth/token", { grant_type: "refresh_token", client_id: client.client_id, refresh_token: token })
      const others = [
        access_token,
        code,
        session.refresh_token,
        session.access_token,
        browser.cookies.get("session") ?? ""
      ]
      for (const token of others) assert.strictEqual((yield* refresh(token)).body.error, "invalid_grant")
      for (const token of [refresh_token, access_token, session.refresh_token])
        assert.strictEqual((yield* redeem(client, token)).body.error, "invalid_grant")
      for (const token of [session.refresh_token, session.access_token, code])
        assert.strictEqual((yield* post("/oauth/revoke", { client_id: client.client_id, token })).status, 200)
      assert.strictEqual((yield* request("POST", "/v1/auth/refresh", { body: { refresh_token } })).status, 401)
      assert.strictEqual(yield* connectionsOf(account.id), 1)
      assert.strictEqual((yield* refresh(refresh_token)).status, 200)
    })
  )

  it.effect("the token endpoint ignores parameters in its query", () =>
    Effect.gen(function* () {
      const { client, refresh_token } = yield* connected()
      const query = new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id: client.client_id })
      const inQuery = yield* post(`/oauth/token?${query}`, {})
      assert.deepStrictEqual([inQuery.status, inQuery.body.error], [400, "invalid_request"])
      assert.strictEqual((yield* request("GET", `/oauth/token?${query}`)).status, 405)
    })
  )

  it.effect("forged tokens: none, HMAC with the public key, an embedded key, unknown and hostile key ids", () =>
    Effect.gen(function* () {
      const { access_token } = yield* connected()
      const header = { ...decodeProtectedHeader(access_token), alg: "ES256" }
      const claims = decodeJwt(access_token)
      const { body: jwks } = yield* request("GET", "/.well-known/jwks.json")
      const own = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
      const jwk = yield* Effect.promise(() => exportJWK(own.publicKey))
      const signed = (key: Parameters<SignJWT["sign"]>[0], more: Partial<JWTHeaderParameters> = {}) =>
        Effect.promise(() => new SignJWT(claims).setProtectedHeader({ ...header, ...more }).sign(key))
      const hmacs = [JSON.stringify(jwks.keys[0]), Buffer.from(jwks.keys[0].x, "base64url")].map((secret) =>
        signed(Buffer.from(secret), { alg: "HS256" })
      )
      const forged = [
        ...(yield* Effect.all(hmacs)),
        ...["none", "None", "NONE"].map((alg) => `${part({ ...header, alg })}.${part(claims)}.`),
        yield* signed(own.privateKey),
        yield* signed(own.privateKey, { jwk }),
        yield* signed(own.privateKey, { jku: "https://evil.example/jwks.json" }),
        yield* signed(own.privateKey, { kid: "unknown" }),
        yield* signed(own.privateKey, { kid: "' OR true --" }),
        yield* signed(own.privateKey, { kid: "../../dev/null" }),
        `${access_token.split(".")[0]}.${part({ ...claims, scope: "orders:write" })}.${access_token.split(".")[2]}`,
        `${access_token}.${access_token}`
      ]
      for (const token of forged) assert.isTrue(Option.isNone(yield* verify(token)), token)
    })
  )

  it.effect("genuine signatures over wrong claims: another issuer, kind, audience or time", () =>
    Effect.gen(function* () {
      const { access_token } = yield* connected()
      const key = yield* stolenKey
      const header = { ...decodeProtectedHeader(access_token), alg: "ES256" }
      const claims = decodeJwt(access_token)
      const now = Math.floor(Date.now() / 1000)
      const signed = (changes: object, more: object = {}) =>
        Effect.promise(() =>
          new SignJWT({ ...claims, ...changes })
            .setProtectedHeader({ ...header, ...more })
            .sign(key, { crit: { x: false } })
        )
      assert.isTrue(Option.isSome(yield* verify(yield* signed({}))))
      for (const [changes, more] of [
        [{ iss: "https://evil.example" }, {}],
        [{ iss: `${http}/` }, {}],
        [{ aud: "https://evil.example/mcp" }, {}],
        [{ aud: [] }, {}],
        [{ exp: now - 1 }, {}],
        [{ exp: undefined }, {}],
        [{ nbf: now + 3600 }, {}],
        [{ connection_id: undefined }, {}],
        [{}, { typ: "JWT" }],
        [{}, { typ: undefined }],
        [{}, { crit: ["x"], x: 1 }]
      ] as const) {
        const token = yield* signed(changes, more)
        assert.isTrue(Option.isNone(yield* verify(token)), JSON.stringify([changes, more]))
      }
    })
  )

  it.effect("scope escalation: a later approval removes scopes from live tokens, and no refresh restores them", () =>
    Effect.gen(function* () {
      const { access_token, browser, client, refresh_token } = yield* connected(
        { scopes: ["catalog:read", "orders:read", "orders:write"] },
        { orders_write: "on" }
      )
      assert.deepStrictEqual(
        yield* scopesOf(access_token),
        Option.some(["catalog:read", "orders:read", "orders:write"])
      )
      yield* browser.open(authorizeUrl(client, { scopes: ["orders:read", "orders:write"] }))
      assert.property(authorizationResponse(yield* browser.submit({ decision: "approve" })), "code")
      const held = yield* soon(scopesOf(access_token), (scopes) => Option.getOrThrow(scopes).length === 1)
      assert.deepStrictEqual(held, Option.some(["orders:read"]))
      const refresh = (scope: string) =>
        post("/oauth/token", { grant_type: "refresh_token", client_id: client.client_id, refresh_token, scope })
      for (const scope of ["orders:write", "orders:read orders:write", "wallet:read", "admin"])
        assert.strictEqual((yield* refresh(scope)).body.error, "invalid_scope", scope)
      assert.strictEqual((yield* refresh("")).body.scope, "orders:read")
    })
  )
})
