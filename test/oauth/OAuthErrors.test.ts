import { assert, layer } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import { ClientAuthentication } from "../../src/oauth/ClientAuthentication.ts"
import { Clients } from "../../src/oauth/Clients.ts"
import { CodeRedemption } from "../../src/oauth/CodeRedemption.ts"
import * as OAuthHttp from "../../src/oauth/OAuthHttp.ts"
import { OAuthLimits } from "../../src/oauth/OAuthLimits.ts"
import { TokenRefresh } from "../../src/oauth/TokenRefresh.ts"
import { TokenRevocation } from "../../src/oauth/TokenRevocation.ts"
import { ClientAddress } from "../../src/platform/requests/ClientAddress.ts"
import { request } from "../support/TestServer.ts"
import * as Server from "./OAuthServer.ts"
import { approved, basic, post, redemption, refresh } from "./OAuthServer.ts"
import * as Testing from "./TokenTesting.ts"

type Answered = Effect.Effect<
  { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>>; readonly body: any },
  unknown,
  any
>

const redeeming = (changes: Record<string, string>, fields: Parameters<typeof approved>[0] = {}): Answered =>
  Effect.flatMap(approved(fields), (one) => post("/oauth/token", { ...redemption(one), ...changes }))

const refreshing = (more: object): Answered =>
  Effect.flatMap(Testing.connected(), ({ client, refresh_token }) => refresh({ client, refresh_token }, more))

const registering = (body: object): Answered => request("POST", "/oauth/register", { body })

/** Sends requests until the limit of the address is reached. */
const tooOften: Answered = Effect.gen(function* () {
  const one = yield* approved({ token_endpoint_auth_method: "client_secret_basic" })
  const wrong = post("/oauth/token", { grant_type: "refresh_token" }, basic(one.client.id, "wrong"))
  for (let count = 0; count < 10; count++) yield* wrong
  return yield* wrong
})

layer(Server.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("OAuth errors", (it) => {
  it.effect.each([
    ["invalid_request: a required parameter is missing", 400, redeeming({ code_verifier: "" })],
    ["invalid_client: client authentication failed", 401, redeeming({ client_id: "dcr_unknown" })],
    ["invalid_grant: a code that is wrong", 400, redeeming({ code: "pac_wrong" })],
    ["invalid_grant: a refresh token that is wrong", 400, refreshing({ refresh_token: "prt_wrong" })],
    [
      "unauthorized_client: a client that may not use this grant type",
      400,
      redeeming({ grant_type: "refresh_token", refresh_token: "prt_any" }, { grant_types: ["authorization_code"] })
    ],
    ["unsupported_grant_type: a grant type that is not offered", 400, redeeming({ grant_type: "client_credentials" })],
    [
      "invalid_scope: a refresh for a scope that the connection does not hold",
      400,
      refreshing({ scope: "orders:write" })
    ],
    ["invalid_target: a resource that is not accepted", 400, redeeming({ resource: "https://elsewhere.example" })],
    ["invalid_redirect_uri: a registration", 400, registering({ redirect_uris: ["javascript:alert(1)"] })],
    [
      "invalid_client_metadata: a registration",
      400,
      registering({ redirect_uris: ["https://app.example/cb"], grant_types: ["implicit"] })
    ],
    ["slow_down: too many requests", 429, tooOften]
  ] as const)("%s", ([name, expected, ask]) =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* ask
      assert.hasAllKeys(body, ["error", "error_description"])
      assert.deepStrictEqual([status, body.error], [expected, name.split(":")[0]])
      // Only the characters of RFC 6749 section 5.2.
      assert.match(body.error_description, /^[ !#-[\]-~]+$/)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.strictEqual(headers["retry-after"] !== undefined, expected === 429)
    })
  )
})

const away = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("secret detail"), message: "Connection closed" })
})

/** The endpoints over services that fail. */
const failing = RequestBoundary.serve(OAuthHttp.layer).pipe(
  Layer.provide([
    Layer.mock(ClientAuthentication)({ authenticate: () => Effect.die(new Error("secret detail")) }),
    Layer.mock(Clients)({ register: () => Effect.die(away) }),
    Layer.mock(CodeRedemption)({}),
    Layer.mock(OAuthLimits)({ address: () => Effect.void }),
    Layer.mock(TokenRefresh)({}),
    Layer.mock(TokenRevocation)({}),
    ClientAddress.layer
  ]),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

layer(failing)("A defect of the service", (it) => {
  it.effect.each([
    [413, "invalid_request", post("/oauth/token", { code: "x".repeat(1_100_000) })],
    [500, "server_error", post("/oauth/revoke", { token: "prt_1" })],
    [503, "temporarily_unavailable", registering({})]
  ] as const)("is answered with a flat body: %i %s", ([expected, error, ask]: readonly [number, string, Answered]) =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* ask
      assert.hasAllKeys(body, ["error", "error_description"])
      assert.deepStrictEqual([status, body.error, headers["cache-control"]], [expected, error, "no-store"])
      assert.match(body.error_description, /^[ !#-[\]-~]+$/)
      assert.notInclude(body.error_description, "secret")
      assert.isDefined(headers["x-request-id"])
    })
  )
})
