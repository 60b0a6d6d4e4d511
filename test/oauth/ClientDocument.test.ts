import { assert, describe, it } from "@effect/vitest"
import { Duration, Result } from "effect"
import * as ClientDocument from "../../src/oauth/ClientDocument.ts"

const client_id = "https://app.example/oauth/client.json"
const redirect_uris = ["https://app.example/callback"]
const document = { client_id, client_name: "Acme", redirect_uris, token_endpoint_auth_method: "none" }

const reasonFor = (changed: unknown, id = client_id) =>
  Result.match(ClientDocument.read(id, changed), { onSuccess: () => undefined, onFailure: ({ reason }) => reason })

describe("the address of a client's document", () => {
  it.each([
    client_id,
    "https://app.example:8443/client.json?v=1",
    "https://xn--bcher-kva.example/a/..b/.well-known/c%20d/",
    "http://127.0.0.1:9000/client"
  ])("may be %s", (id) => {
    assert.isUndefined(ClientDocument.addressFaultOf(id))
  })

  it.each([
    ["no path", "https://app.example", /path/],
    ["the root", "https://app.example/", /path/],
    ["the root with a query", "https://app.example/?client", /path/],
    ["a fragment", `${client_id}#a`, /fragment/],
    ["an empty fragment", `${client_id}#`, /fragment/],
    ["a username", "https://user@app.example/client", /username/],
    ["an empty username", "https://@app.example/client", /username/],
    ["a dot segment", "https://app.example/./client", /dot segments/],
    ["two dots", "https://app.example/a/../client", /dot segments/],
    ["encoded dots", "https://app.example/a/%2e%2E/client", /dot segments/],
    ["half encoded dots", "https://app.example/a/.%2e", /dot segments/],
    ["dots at the end", "https://app.example/client/..", /dot segments/],
    ["dots before a query", "https://app.example/client/.?a", /dot segments/],
    ["the default port", "https://app.example:443/client", /normal form/],
    ["capitals in the host", "https://App.example/client", /normal form/],
    ["a number as its host", "https://2130706433/client", /normal form/],
    ["a backslash", "https://app.example\\client/x", /normal form/],
    ["a tab", "https://app.example/cl\tient", /normal form/],
    ["a letter beyond ASCII", "https://b\u00fccher.example/client", /normal form/],
    ["no host", "https:///client", /https URL/],
    ["no slashes", "https:app.example/client", /https URL/],
    ["capitals in the scheme", "HTTPS://app.example/client", /https URL/],
    ["an impossible port", "https://app.example:65536/client", /https URL/],
    ["2049 characters", `https://app.example/${"a".repeat(2029)}`, /2048/]
  ])("is refused with %s: %s", (_, id, fault) => {
    assert.match(ClientDocument.addressFaultOf(id) ?? "", fault)
  })
})

describe("a client's document", () => {
  it("describes a client without a secret", () => {
    assert.deepStrictEqual(
      ClientDocument.read(client_id, { ...document, application_type: "native", scope: "x", logo_uri: "y" }),
      Result.succeed({
        name: "Acme",
        redirect_uris,
        grant_types: ["authorization_code", "refresh_token"],
        application_type: "native",
        token_endpoint_auth_method: "none"
      })
    )
  })

  it("may list grants and methods that this server does not offer", () => {
    const read = ClientDocument.read(client_id, {
      client_id,
      redirect_uris,
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "authorization_code"],
      response_types: ["code", "none"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["private_key_jwt", "none"]
    })
    const { grant_types, name, token_endpoint_auth_method } = Result.getOrThrow(read)
    assert.deepStrictEqual([grant_types, token_endpoint_auth_method], [["authorization_code"], "none"])
    assert.strictEqual(name, "app.example")
  })

  it.each([
    ["is a list", [document], /JSON object/],
    ["is null", null, /JSON object/],
    ["has no client_id", { ...document, client_id: undefined }, /its own URL/],
    ["has the client_id of another", { ...document, client_id: `${client_id}?` }, /its own URL/],
    ["has the client_id in another spelling", { ...document, client_id: client_id.toUpperCase() }, /its own URL/],
    ["has a list as its client_id", { ...document, client_id: [client_id] }, /its own URL/],
    ["declares a secret", { ...document, client_secret: "secret" }, /client secret/],
    ["declares a secret that is null", { ...document, client_secret: null }, /client secret/],
    ["declares when its secret expires", { ...document, client_secret_expires_at: 0 }, /client secret/],
    ["names no method", { ...document, token_endpoint_auth_method: undefined }, /list none/],
    ["has another method", { ...document, token_endpoint_auth_method: "private_key_jwt" }, /list none/],
    ["has a method with a secret", { ...document, token_endpoint_auth_method: "client_secret_post" }, /client secret/],
    ["has a method that is no text", { ...document, token_endpoint_auth_method: { toString: 1 } }, /list none/],
    ["has no redirect URIs", { ...document, redirect_uris: [] }, /redirect_uris/],
    ["has a redirect URI that is refused", { ...document, redirect_uris: ["data:text/html,a"] }, /redirect_uris\[0\]/],
    ["has a private-use scheme", { ...document, redirect_uris: ["com.example.app:/"] }, /application_type native/],
    ["grants no codes", { ...document, grant_types: ["client_credentials"] }, /grant_types/],
    ["answers no codes", { ...document, response_types: ["token"] }, /response_types/],
    ["has a deceptive name", { ...document, client_name: "Acme\u202e" }, /client_name/]
  ])("is unusable when it %s", (_, changed, reason) => {
    assert.match(reasonFor(changed) ?? "", reason)
  })
})

describe("the freshness of a document", () => {
  it.each([
    [undefined, "1 hour"],
    ["public", "1 hour"],
    ["max-age=600", "10 minutes"],
    ["public, Max-Age=600, immutable", "10 minutes"],
    ["s-maxage=600", "1 hour"],
    ["max-age=0", "5 minutes"],
    ["max-age=31536000", "24 hours"],
    ["no-store", "5 minutes"],
    ["no-cache, max-age=600", "5 minutes"],
    ["max-age=forever", "1 hour"]
  ] as const)("%s: %s", (header, duration) => {
    assert.isTrue(Duration.equals(ClientDocument.freshFor(header), Duration.fromInputUnsafe(duration)))
  })
})
