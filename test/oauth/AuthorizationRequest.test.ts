import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import * as AuthorizationRequest from "../../src/oauth/AuthorizationRequest.ts"
import * as AuthorizationResponse from "../../src/oauth/AuthorizationResponse.ts"
import type { OAuthClient } from "../../src/oauth/OAuthClient.ts"
import * as Parameters from "../../src/oauth/Parameters.ts"

const addresses = { issuer: "https://proxies.test", mcp_url: "https://tools.proxies.test/mcp" }
const sha256 = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const whole = { response_type: "code", code_challenge: sha256, code_challenge_method: "S256" }
const read = ["catalog:read", "account:read", "orders:read", "wallet:read"]
const now = DateTime.makeUnsafe(0)

const client: OAuthClient = {
  id: "dcr_1",
  is_verified: false,
  name: "App",
  redirect_uris: ["https://app.test/cb", "com.example.app:/cb", "http://127.0.0.1/cb"],
  grant_types: ["authorization_code"],
  application_type: "native",
  token_endpoint_auth_method: "none",
  secret_hash: null,
  fresh_until: null,
  created_at: now,
  last_used_at: now
}

const outcome = <A>(checked: Result.Result<A, { error: string; description: string }>): any =>
  Result.match(checked, {
    onFailure: ({ description, error }) => `${error}: ${description}`,
    onSuccess: (value) => value
  })

const terms = (parameters: Record<string, string | undefined>) => {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const checked = Parameters.read(new URLSearchParams(given))
  return outcome(Result.flatMap(checked, (parameters) => AuthorizationRequest.terms(parameters, addresses)))
}

const redirect = (redirect_uri: string | undefined) =>
  outcome(
    AuthorizationRequest.redirectUri(
      new Map(redirect_uri === undefined ? [] : [["redirect_uri", redirect_uri]]),
      client
    )
  )

describe("A redirect URI", () => {
  it("must be registered by the client, and a loopback one may have any port", () => {
    for (const uri of [...client.redirect_uris, "http://127.0.0.1:49152/cb"]) assert.strictEqual(redirect(uri), uri)
    const unregistered = "invalid_request: Send a redirect_uri that the app registered"
    for (const uri of [
      "https://app.test/cb/",
      "https://app.test/cb?x",
      "https://app.test:8443/cb",
      "http://localhost/cb"
    ])
      assert.strictEqual(redirect(uri), unregistered)
    assert.strictEqual(redirect(undefined), "invalid_request: Send the parameter redirect_uri")
  })

  it("receives the faults of a request when the client is verified or the redirect stays on the person's machine", () => {
    assert.isFalse(AuthorizationRequest.tellsClient(client, "https://app.test/cb"))
    assert.isFalse(AuthorizationRequest.tellsClient(client, "com.example.app:/cb"))
    assert.isTrue(AuthorizationRequest.tellsClient(client, "http://127.0.0.1:49152/cb"))
    assert.isTrue(AuthorizationRequest.tellsClient({ ...client, is_verified: true }, "https://app.test/cb"))
  })
})

describe("The terms of a request", () => {
  it("are the reading scopes at the tool endpoint by default", () => {
    assert.deepStrictEqual(terms(whole), {
      state: null,
      code_challenge: sha256,
      resource: "https://tools.proxies.test/mcp",
      scopes: read
    })
  })

  it("contain the known scopes, each once", () => {
    for (const [scope, expected] of [
      ["orders:write", ["orders:write"]],
      ["orders:write catalog:read catalog:read openid", ["catalog:read", "orders:write"]],
      ["  wallet:read  ", ["wallet:read"]],
      [undefined, read],
      ["", read]
    ] as const)
      assert.deepInclude(terms({ ...whole, scope }), { scopes: expected })
  })

  it("name an address of this service, with or without a slash after a bare host", () => {
    for (const [resource, expected] of [
      ["https://tools.proxies.test/mcp", "https://tools.proxies.test/mcp"],
      ["https://tools.proxies.test", "https://tools.proxies.test"],
      ["https://tools.proxies.test/", "https://tools.proxies.test"],
      ["https://proxies.test", "https://proxies.test"],
      ["https://proxies.test/", "https://proxies.test"]
    ] as const)
      assert.deepInclude(terms({ ...whole, resource }), { resource: expected })
  })

  it("are refused with their first fault", () => {
    const long = "x".repeat(2049)
    for (const [change, error] of [
      [{ response_type: undefined }, "invalid_request: Send the parameter response_type"],
      [{ response_type: "token" }, "unsupported_response_type: Send the response_type code"],
      [{ response_type: "code token" }, "unsupported_response_type: Send the response_type code"],
      [{ response_mode: "fragment" }, "invalid_request: Send the response_mode"],
      [{ request: "e30" }, "invalid_request: Send the request as plain parameters"],
      [{ request_uri: "https://app.test/r" }, "invalid_request: Send the request as plain parameters"],
      [{ state: long }, "invalid_request: Send a state"],
      [{ code_challenge: undefined }, "invalid_request: Send the parameter code_challenge"],
      [{ code_challenge_method: undefined }, "invalid_request: Send the code_challenge_method S256"],
      [{ code_challenge_method: "plain" }, "invalid_request: Send the code_challenge_method S256"],
      [{ code_challenge_method: "s256" }, "invalid_request: Send the code_challenge_method S256"],
      [{ code_challenge: `${sha256}=` }, "invalid_request: Send the base64url-encoded"],
      [{ code_challenge: sha256.slice(1) }, "invalid_request: Send the base64url-encoded"],
      [{ code_challenge: `${sha256}\n` }, "invalid_request: Send the base64url-encoded"],
      [{ resource: "https://elsewhere.test/mcp" }, "invalid_target: Send the resource"],
      [{ resource: "https://tools.proxies.test/mcp?x" }, "invalid_target: Send the resource"],
      [{ scope: "openid offline_access" }, "invalid_scope: Send a scope of the metadata"],
      [{ scope: "CATALOG:READ" }, "invalid_scope: Send a scope of the metadata"],
      [{ scope: `catalog:read ${long}` }, "invalid_scope: Send a scope of at most"],
      [{ response_type: "token", scope: "openid" }, "unsupported_response_type: Send the response_type code"]
    ] as const)
      assert.strictEqual(String(terms({ ...whole, ...change })).slice(0, error.length), error)
    for (const taken of [
      { response_mode: "query" },
      { state: long.slice(1) },
      { state: "\u{1f600}".repeat(2048) },
      { prompt: "none" }
    ])
      assert.deepInclude(terms({ ...whole, ...taken }), { scopes: read })
  })
})

describe("The redirect to a client", () => {
  const given = { code: "pac_1", state: "a b+c&d=ä%", iss: "https://proxies.test" }
  const form = "code=pac_1&state=a%20b%2Bc%26d%3D%C3%A4%25&iss=https%3A%2F%2Fproxies.test"

  it("keeps the URI byte for byte and appends the parameters to its query", () => {
    for (const [uri, expected] of [
      ["https://app.test/cb", `https://app.test/cb?${form}`],
      ["https://APP.test", `https://APP.test?${form}`],
      ["https://app.test/a%2fb/../cb", `https://app.test/a%2fb/../cb?${form}`],
      ["https://app.test/cb?tenant=a%20b", `https://app.test/cb?tenant=a%20b&${form}`],
      ["https://app.test/cb?", `https://app.test/cb?${form}`],
      ["https://app.test/cb?a&", `https://app.test/cb?a&${form}`],
      ["http://127.0.0.1:49152/cb", `http://127.0.0.1:49152/cb?${form}`],
      ["http://[::1]:49152/cb", `http://[::1]:49152/cb?${form}`],
      ["com.example.app:/cb", `com.example.app:/cb?${form}`],
      ["com.example.app://cb", `com.example.app://cb?${form}`]
    ] as const) {
      const location = AuthorizationResponse.location(uri, given)
      assert.strictEqual(location, expected)
      const read = new URL(location).searchParams
      assert.deepStrictEqual([read.get("code"), read.get("state"), read.get("iss")], Object.values(given))
    }
  })

  it("omits state when the request had none", () => {
    assert.strictEqual(
      AuthorizationResponse.location("a.b:/", { error: "access_denied", state: null }),
      "a.b:/?error=access_denied"
    )
  })
})
