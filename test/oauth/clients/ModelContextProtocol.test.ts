import { assert, layer } from "@effect/vitest"
import * as mcpClient from "@modelcontextprotocol/client"
import { auth as sdkAuth } from "@modelcontextprotocol/sdk/client/auth.js"
import { Effect } from "effect"
import { decodeJwt } from "jose"
import * as TestApp from "../../support/TestApp.ts"
import { newClient } from "../AuthorizationTesting.ts"
import { approve, callback, issuer, reading } from "./ClientTesting.ts"
import { makeProvider } from "./HostProvider.ts"

type Provider = ReturnType<typeof makeProvider>["provider"]

/** The second library takes the `iss` of the redirect and checks it. */
const libraries = [
  [
    "@modelcontextprotocol/sdk",
    (provider: Provider, serverUrl: string, back?: URLSearchParams) =>
      sdkAuth(provider, { serverUrl, ...(back === undefined ? {} : { authorizationCode: back.get("code") ?? "" }) })
  ],
  [
    "@modelcontextprotocol/client",
    (provider: Provider, serverUrl: string, back?: URLSearchParams) =>
      mcpClient.auth(provider, {
        serverUrl,
        ...(back === undefined ? {} : { authorizationCode: back.get("code") ?? "", iss: back.get("iss") ?? "" })
      })
  ]
] as const

layer(TestApp.layerPublic, { excludeTestServices: true })("the clients of tool servers", (it) => {
  it.effect.each(
    libraries.flatMap(([name, auth]) => [
      { name, auth, by: "registers itself", document: undefined },
      { name, auth, by: "is described by its document", document: `https://app.example.com/${name}.json` }
    ])
  )("$name, which $by, sends the person to approve, gets tokens, and refreshes", ({ auth, document }) =>
    Effect.gen(function* () {
      // The client is stored before, because tests fetch nothing over https.
      if (document !== undefined) yield* newClient({ id: document, redirect_uris: [callback], application_type: "web" })
      const serverUrl = `${yield* issuer}/mcp`
      const { expectedState, kept, provider } = makeProvider(document)
      const call = (back?: URLSearchParams) => Effect.promise(() => auth(provider, serverUrl, back))

      assert.strictEqual(yield* call(), "REDIRECT")
      assert.match(kept.client.client_id, document === undefined ? /^dcr_/ : /^https:/)
      assert.strictEqual(kept.url?.searchParams.get("resource"), serverUrl)
      const { callbackUrl } = yield* approve(kept.url ?? "", { orders_write: "on" })
      assert.strictEqual(callbackUrl.searchParams.get("state"), expectedState)
      assert.strictEqual(yield* call(callbackUrl.searchParams), "AUTHORIZED")
      const first = kept.tokens
      assert.strictEqual(first.scope, `${reading} orders:write`)
      assert.strictEqual(decodeJwt(first.access_token).aud, serverUrl)

      assert.strictEqual(yield* call(), "AUTHORIZED")
      assert.notStrictEqual(kept.tokens.refresh_token, first.refresh_token)
      assert.strictEqual(kept.tokens.scope, first.scope)
    })
  )
})
