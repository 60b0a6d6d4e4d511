import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ClientMetadata from "../../src/oauth/ClientMetadata.ts"

const redirect_uris = ["https://app.example/callback"]

const refusalOf = (body: unknown) =>
  Result.match(ClientMetadata.read(body), { onSuccess: () => undefined, onFailure: ({ error }) => error })

describe("the metadata of a client", () => {
  it("has these defaults", () => {
    assert.deepStrictEqual(
      ClientMetadata.read({ redirect_uris }),
      Result.succeed({
        name: "app.example",
        redirect_uris,
        grant_types: ["authorization_code", "refresh_token"],
        application_type: "web",
        token_endpoint_auth_method: "client_secret_basic"
      })
    )
  })

  it("is kept unchanged, without unknown members", () => {
    const body = {
      client_name: "  Acme Tools \u{1f468}\u200d\u{1f4bb} ",
      redirect_uris: ["com.example.app:/callback", "http://localhost:1/callback"],
      grant_types: ["authorization_code", "authorization_code"],
      response_types: ["code"],
      application_type: "native",
      token_endpoint_auth_method: "none",
      scope: "catalog:read everything",
      client_id: "dcr_chosen",
      client_secret: "chosen",
      is_verified: true,
      jwks_uri: 7
    }
    assert.deepStrictEqual(
      ClientMetadata.read(body),
      Result.succeed({
        name: "Acme Tools \u{1f468}\u200d\u{1f4bb}",
        redirect_uris: body.redirect_uris,
        grant_types: ["authorization_code"],
        application_type: "native",
        token_endpoint_auth_method: "none"
      })
    )
  })

  it("may have null members, which count as absent", () => {
    const body = { redirect_uris, client_name: null, grant_types: null, response_types: null, application_type: null }
    assert.deepStrictEqual(
      ClientMetadata.read({ ...body, token_endpoint_auth_method: null }),
      ClientMetadata.read({ redirect_uris })
    )
  })

  it.each([["http://127.0.0.1:1/"], ["com.example.app:/callback"]])(
    'has the name "Unnamed app" without a name and with the redirect URI %s',
    (uri) => {
      const { name } = Result.getOrThrow(ClientMetadata.read({ redirect_uris: [uri], application_type: "native" }))
      assert.strictEqual(name, "Unnamed app")
    }
  )

  it("may have a name of 100 emoji", () => {
    const client_name = "\u{1f600}".repeat(100)
    assert.isTrue(Result.isSuccess(ClientMetadata.read({ redirect_uris, client_name })))
  })

  it("may use each of the three methods, and 20 redirect URIs", () => {
    for (const token_endpoint_auth_method of ["none", "client_secret_post", "client_secret_basic"]) {
      const many = Array.from({ length: 20 }, (_, index) => `https://app.example/${index}`)
      assert.isTrue(Result.isSuccess(ClientMetadata.read({ redirect_uris: many, token_endpoint_auth_method })))
    }
  })
})

describe("a registration that is refused", () => {
  it.each([
    ["no redirect URIs", {}],
    [
      "redirect URIs of more than 8192 characters in total",
      { redirect_uris: Array.from({ length: 5 }, (_, n) => `https://app.example/${n}${"a".repeat(1700)}`) }
    ],
    ["an empty list of them", { redirect_uris: [] }],
    ["21 of them", { redirect_uris: Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`) }],
    ["one that is no list", { redirect_uris: "https://app.example/callback" }],
    ["one that is no text", { redirect_uris: [7] }],
    ["one that may not be registered", { redirect_uris: [...redirect_uris, "javascript:alert(1)"] }],
    ["a private-use scheme of a web client", { redirect_uris: ["com.example.app:/callback"] }]
  ])("for its redirect URIs: %s", (_, body) => {
    assert.strictEqual(refusalOf(body), "invalid_redirect_uri")
  })

  it.each([
    ["no body", undefined],
    ["null", null],
    ["a list", [{ redirect_uris }]],
    ["text", JSON.stringify({ redirect_uris })],
    ["an empty name", { redirect_uris, client_name: " \n" }],
    ["a name of 101 characters", { redirect_uris, client_name: "a".repeat(101) }],
    ["a name of 101 emoji", { redirect_uris, client_name: "\u{1f600}".repeat(101) }],
    ["a name that is no text", { redirect_uris, client_name: { en: "Acme" } }],
    ["a name with a line end", { redirect_uris, client_name: "Acme\nVerified" }],
    ["a name with a NUL", { redirect_uris, client_name: "Acme\u0000" }],
    ["a name that turns its direction", { redirect_uris, client_name: "Acme \u202eselooT" }],
    ["a name that isolates its direction", { redirect_uris, client_name: "Acme \u2066x" }],
    ["a name with an invisible character", { redirect_uris, client_name: "Ac\u200bme" }],
    ["an invisible name", { redirect_uris, client_name: "\u3164\u2800\u200d\ufe0f" }],
    ["a name with half a character", { redirect_uris, client_name: "Acme \ud83d" }],
    ["the method private_key_jwt", { redirect_uris, token_endpoint_auth_method: "private_key_jwt" }],
    ["the method client_secret_jwt", { redirect_uris, token_endpoint_auth_method: "client_secret_jwt" }],
    ["a list of methods", { redirect_uris, token_endpoint_auth_method: ["none"] }],
    ["no grant types", { redirect_uris, grant_types: [] }],
    ["refresh alone", { redirect_uris, grant_types: ["refresh_token"] }],
    ["the implicit grant", { redirect_uris, grant_types: ["authorization_code", "implicit"] }],
    ["the password grant", { redirect_uris, grant_types: ["authorization_code", "password"] }],
    ["the client credentials grant", { redirect_uris, grant_types: ["authorization_code", "client_credentials"] }],
    ["a grant type that is no list", { redirect_uris, grant_types: "authorization_code" }],
    ["the response type token", { redirect_uris, response_types: ["token"] }],
    ["the response type id_token beside code", { redirect_uris, response_types: ["code", "id_token"] }],
    ["no response types", { redirect_uris, response_types: [] }],
    ["another application type", { redirect_uris, application_type: "browser" }]
  ])("for its metadata: %s", (_, body) => {
    assert.strictEqual(refusalOf(body), "invalid_client_metadata")
  })

  it("gives the reason in the characters of RFC 6749, without the sent values", () => {
    const bodies = [
      undefined,
      { redirect_uris: ['https://"\\\u00e9'] },
      { redirect_uris, client_name: '"\\\u202e' },
      { redirect_uris, grant_types: ['"'] }
    ]
    for (const body of bodies) {
      const { description } = Result.getOrThrow(Result.flip(ClientMetadata.read(body)))
      assert.match(description, /^[ !#-[\]-~]{10,}$/)
    }
  })
})
