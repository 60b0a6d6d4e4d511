import { assert, it, layer } from "@effect/vitest"
import { OAuthMetadataSchema, OAuthProtectedResourceMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js"
import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import http from "node:http"
import { json } from "node:stream/consumers"
import * as oauth from "oauth4webapi"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import * as RequestBoundary from "../../src/http/RequestBoundary.ts"
import * as Discovery from "../../src/oauth/Discovery.ts"
import * as DiscoveryHttp from "../../src/oauth/DiscoveryHttp.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { request } from "../support/TestServer.ts"

const jwk = { kid: "k", alg: "ES256", use: "sig", kty: "EC", crv: "P-256", x: "x", y: "y" } as const

/** The discovery routes only. */
const server = (settings: Record<string, string>) =>
  RequestBoundary.serve(DiscoveryHttp.layer).pipe(
    Layer.provide(Layer.mock(SigningKeys)({ jwks: Effect.succeed({ keys: [jwk] }) })),
    Layer.provideMerge(Addresses.layer),
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings)))
  )

const get = (name: string, headers: Record<string, string> = {}) => request("GET", `/.well-known/${name}`, { headers })

/** Sends the request without `fetch`, which sets `Host` itself. */
const getAt = (host: string, name: string) =>
  HttpServer.addressFormattedWith((address) =>
    Effect.callback<any>((resume) => {
      const url = `${address.replace("0.0.0.0", "127.0.0.1")}/.well-known/${name}`
      http.get(url, { headers: { host } }, (response) => json(response).then((body) => resume(Effect.succeed(body))))
    })
  )

const issuer = "https://proxies.example.com"
const scopes = ["catalog:read", "account:read", "orders:read", "wallet:read", "orders:write"]

const resourceDocument = (resource: string) => ({
  resource,
  authorization_servers: [issuer],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: "Proxy Rental Service",
  resource_documentation: `${issuer}/docs`
})

layer(server({ PUBLIC_URL: issuer }))("Discovery", (it) => {
  it.effect(
    "describes the authorization server completely, with agent registration (RFC 8414, RFC 9207, auth.md)",
    () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* get("oauth-authorization-server")
        assert.strictEqual(status, 200)
        assert.match(headers["content-type"] ?? "", /^application\/json/)
        assert.strictEqual(headers["cache-control"], "public, max-age=300")
        assert.deepStrictEqual(body, {
          issuer,
          authorization_endpoint: `${issuer}/oauth/authorize`,
          token_endpoint: `${issuer}/oauth/token`,
          registration_endpoint: `${issuer}/oauth/register`,
          revocation_endpoint: `${issuer}/oauth/revoke`,
          jwks_uri: `${issuer}/.well-known/jwks.json`,
          scopes_supported: scopes,
          response_types_supported: ["code"],
          response_modes_supported: ["query"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"],
          revocation_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"],
          authorization_response_iss_parameter_supported: true,
          client_id_metadata_document_supported: true,
          service_documentation: `${issuer}/docs`,
          agent_auth: {
            version: "0.1",
            register_uri: `${issuer}/agent/auth`,
            claim_uri: `${issuer}/agent/claim`,
            revocation_uri: `${issuer}/agent/revoke`,
            identity_types_supported: ["anonymous"],
            anonymous: { credential_types_supported: ["api_key"] }
          }
        })
      })
  )

  it.effect("publishes nothing of OpenID Connect, because the service does not offer it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* get("openid-configuration")).status, 404)
      const { body } = yield* get("oauth-authorization-server")
      for (const member of ["id_token_signing_alg_values_supported", "subject_types_supported", "userinfo_endpoint"])
        assert.notProperty(body, member)
    })
  )

  it.effect("describes the tool endpoint and the host, with the issuer byte for byte (RFC 9728)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* get("oauth-protected-resource/mcp")).body, resourceDocument(`${issuer}/mcp`))
      assert.deepStrictEqual((yield* get("oauth-protected-resource")).body, resourceDocument(issuer))
    })
  )

  it.effect("is readable by oauth4webapi and by the MCP SDK", () =>
    Effect.gen(function* () {
      const server = yield* get("oauth-authorization-server")
      const resource = yield* get("oauth-protected-resource/mcp")
      const metadata = yield* Effect.promise(() =>
        oauth.processDiscoveryResponse(new URL(issuer), Response.json(server.body))
      )
      assert.strictEqual(metadata.issuer, issuer)
      const resourceMetadata = yield* Effect.promise(() =>
        oauth.processResourceDiscoveryResponse(new URL(`${issuer}/mcp`), Response.json(resource.body))
      )
      assert.deepStrictEqual(resourceMetadata.authorization_servers, [issuer])
      assert.strictEqual(OAuthMetadataSchema.parse(server.body).issuer, issuer)
      assert.strictEqual(OAuthProtectedResourceMetadataSchema.parse(resource.body).resource, `${issuer}/mcp`)
    })
  )

  it.effect("publishes the signing keys", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* get("jwks.json")
      assert.deepStrictEqual(body, { keys: [jwk] })
      assert.strictEqual(headers["cache-control"], "public, max-age=300")
    })
  )

  it.effect("is readable by pages of any origin, with the header that MCP clients send", () =>
    Effect.gen(function* () {
      for (const name of [
        "oauth-authorization-server",
        "oauth-protected-resource",
        "oauth-protected-resource/mcp",
        "jwks.json"
      ]) {
        const origin = { origin: "https://elsewhere.example" }
        const read = yield* get(name, origin)
        assert.strictEqual(read.headers["access-control-allow-origin"], "*", name)
        const asked = yield* request("OPTIONS", `/.well-known/${name}`, {
          headers: {
            ...origin,
            "access-control-request-method": "GET",
            "access-control-request-headers": "mcp-protocol-version"
          }
        })
        assert.strictEqual(asked.status, 204, name)
        assert.strictEqual(asked.headers["access-control-allow-origin"], "*")
        assert.strictEqual(asked.headers["access-control-allow-methods"], "GET")
        assert.match(asked.headers["access-control-allow-headers"] ?? "", /\bMCP-Protocol-Version\b/i)
        assert.notProperty(asked.headers, "access-control-allow-credentials")
      }
    })
  )
})

layer(
  server({
    PUBLIC_URL: issuer,
    MCP_URL: "https://tools.example.com/v2/mcp",
    AGENT_REGISTRATION: "false"
  })
)("Discovery with the tool server on a host of its own", (it) => {
  it.effect("describes the requested host, and the tool endpoint also at its own path", () =>
    Effect.gen(function* () {
      const tools = "Tools.Example.com"
      const endpoint = resourceDocument("https://tools.example.com/v2/mcp")
      assert.deepStrictEqual(yield* getAt(tools, "oauth-protected-resource/v2/mcp"), endpoint)
      assert.deepStrictEqual(yield* getAt(tools, "oauth-protected-resource/mcp"), endpoint)
      assert.deepStrictEqual((yield* get("oauth-protected-resource/mcp")).body, endpoint)
      assert.deepStrictEqual(
        yield* getAt(tools, "oauth-protected-resource"),
        resourceDocument("https://tools.example.com")
      )
      assert.deepStrictEqual(yield* getAt("anything.example", "oauth-protected-resource"), resourceDocument(issuer))
    })
  )

  it.effect("omits agent registration when it is disabled", () =>
    Effect.gen(function* () {
      const { body } = yield* get("oauth-authorization-server")
      assert.notProperty(body, "agent_auth")
      assert.strictEqual(body.issuer, issuer)
    })
  )
})

it("the metadata of a tool endpoint at the root of a host needs no path of its own", () => {
  const addresses = {
    issuer,
    mcp_url: "https://tools.example.com",
    base_url: `${issuer}/v1`,
    docs_url: `${issuer}/docs`,
    app_url: `${issuer}/app`
  }
  assert.deepStrictEqual(Discovery.toolPaths(addresses), ["/mcp"])
  assert.strictEqual(Discovery.resourceOfHost(addresses, "tools.example.com"), "https://tools.example.com")
})
