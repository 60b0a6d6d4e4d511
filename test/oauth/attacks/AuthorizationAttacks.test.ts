import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import {
  atConsent,
  authorizeUrl,
  http,
  loopback,
  newClient,
  password,
  redeem,
  authorizationResponse
} from "../../dashboard/PagesTesting.ts"
import * as Browser from "../../support/Browser.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { connected, connectionsOf, evil, withoutFollowing } from "./AttackTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("Attacks on the authorization endpoint", (it) => {
  it.effect("mix-up of servers: approval, refusal and error each name the issuer to the app (RFC 9207)", () =>
    Effect.gen(function* () {
      const { browser, client } = yield* atConsent()
      const approved = authorizationResponse(yield* browser.submit({ decision: "approve" }))
      yield* browser.open(authorizeUrl(client))
      const declined = authorizationResponse(yield* browser.submit({ decision: "deny" }))
      const wrong = authorizationResponse(yield* browser.open(authorizeUrl(client, { resource: evil })))
      assert.deepStrictEqual(
        [approved, declined, wrong].map(({ error, iss }) => [error, iss]),
        [
          [undefined, http],
          ["access_denied", http],
          ["invalid_target", http]
        ]
      )
    })
  )

  it.effect("PKCE downgrade: no challenge, an empty one, plain, no method, or a malformed challenge", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const browser = yield* Browser.forServer(http)
      for (const [name, value] of [
        ["code_challenge", null],
        ["code_challenge", ""],
        ["code_challenge", "a"],
        ["code_challenge_method", "plain"],
        ["code_challenge_method", "S512"],
        ["code_challenge_method", null]
      ] as const) {
        const url = new URL(authorizeUrl(client))
        if (value === null) url.searchParams.delete(name)
        else url.searchParams.set(name, value)
        const { code, error } = authorizationResponse(yield* browser.open(url.href))
        assert.deepStrictEqual([code, error], [undefined, "invalid_request"], `${name}=${value}`)
      }
    })
  )

  it.effect("silent approval: the person approves an app again, also with prompt=none", () =>
    Effect.gen(function* () {
      const { account, browser, client } = yield* connected()
      for (const url of [authorizeUrl(client), `${authorizeUrl(client)}&prompt=none`]) {
        const page = yield* browser.open(url)
        assert.include(page.text, "Connect <bdi>Proxy Pilot</bdi> to your account?")
      }
      assert.strictEqual(yield* connectionsOf(account.id), 1)
    })
  )

  it.effect("forged consent form: added scopes, apps, addresses and boxes do not count", () =>
    Effect.gen(function* () {
      const { browser, client, page } = yield* atConsent({ scopes: ["catalog:read"] })
      const form = page.forms.find(({ names }) => names.has("decision"))
      const { headers } = yield* request("POST", new URL(page.url).pathname, {
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ")
        },
        body: new URLSearchParams({
          ...form?.values,
          decision: "approve",
          orders_write: "on",
          scope: "catalog:read orders:write",
          client_id: "dcr_other",
          redirect_uri: `${evil}/cb`,
          resource: http,
          user_id: randomUUID()
        }).toString()
      }).pipe(withoutFollowing)
      const location = headers["location"] ?? ""
      assert.isTrue(location.startsWith(`${loopback}?code=pac_`), location)
      const { body } = yield* redeem(client, new URL(location).searchParams.get("code") ?? "")
      assert.strictEqual(body.scope, "catalog:read")
    })
  )

  it.effect("parameter pollution: a repeated parameter never causes a redirect", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const browser = yield* Browser.forServer(http)
      for (const [name, value] of [
        ["redirect_uri", `${evil}/cb`],
        ["redirect_uri", loopback],
        ["client_id", client.client_id],
        ["state", "other"],
        ["scope", "orders:write"],
        ["resource", http],
        ["code_challenge", "A".repeat(43)],
        ["unknown", "1&unknown=2"]
      ] as const) {
        const page = yield* browser.open(
          `${authorizeUrl(client, { resource: http, scopes: ["orders:read"] })}&${name}=${value}`
        )
        assert.deepStrictEqual([page.status, page.isElsewhere], [400, false], name)
      }
    })
  )

  it.effect("line ends and markup in state: they return unchanged, and never reach a header or a page", () =>
    Effect.gen(function* () {
      const state = `\r\nSet-Cookie: session=evil\r\n\r\n<script>alert(1)</script>&code=evil&iss=${evil}#`
      const { browser } = yield* atConsent({ state })
      const page = yield* browser.submit({ decision: "approve" })
      const answer = new URL(page.url).searchParams
      assert.strictEqual(answer.get("state"), state)
      assert.deepStrictEqual([answer.getAll("code").length, answer.getAll("iss")], [1, [http]])
      assert.match(page.url, /^[!-~]+$/)
      assert.isEmpty(page.setCookies)
    })
  )

  it.effect("false Host and forwarded headers: they change no issuer, endpoint or redirect", () =>
    Effect.gen(function* () {
      const headers = {
        host: "evil.example",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        forwarded: "host=evil.example;proto=https"
      }
      const client = yield* newClient()
      const { text } = yield* (yield* Browser.forServer(http)).open(`${http}/.well-known/oauth-authorization-server`, {
        headers
      })
      assert.strictEqual(JSON.parse(text).issuer, http)
      assert.notInclude(text, "evil.example")
      const browser = yield* Browser.forServer(http)
      const page = yield* browser.open(authorizeUrl(client), { headers })
      assert.isTrue(page.redirects.every(({ location }) => location.startsWith(`${http}/`)))
      const wrong = yield* browser.open(authorizeUrl(client, { resource: evil }), { headers })
      assert.strictEqual(authorizationResponse(wrong)["iss"], http)
    })
  )

  it.effect("other methods than GET begin no request", () =>
    Effect.gen(function* () {
      const { pathname, search } = new URL(authorizeUrl(yield* newClient()))
      for (const method of ["POST", "PUT", "DELETE"] as const)
        assert.strictEqual((yield* request(method, pathname + search)).status, 405)
    })
  )

  it.effect("an app cannot choose its id, its secret or its verification at registration", () =>
    Effect.gen(function* () {
      const claimed = {
        client_id: "https://bank.example/client.json",
        client_secret: "chosen",
        client_secret_expires_at: 1,
        is_verified: true,
        scope: "admin",
        software_statement: "e30.e30."
      }
      const { body, status } = yield* request("POST", "/oauth/register", {
        body: `{"__proto__":{"is_verified":true},${JSON.stringify({ ...claimed, client_name: "Bank", redirect_uris: [loopback] }).slice(1)}`
      })
      assert.strictEqual(status, 201)
      assert.match(body.client_id, /^dcr_[\w-]{43}$/)
      assert.match(body.client_secret, /^pcs_[\w-]{43}$/)
      assert.strictEqual(body.client_secret_expires_at, 0)
      for (const name of ["is_verified", "scope", "software_statement"]) assert.notProperty(body, name)
      const browser = yield* Browser.forServer(http)
      yield* browser.open(authorizeUrl({ client_id: body.client_id, redirect_uri: loopback }))
      const { account } = yield* connected()
      const page = yield* browser.submit({ email: account.email, password })
      assert.include(page.text, "Not verified")
    })
  )
})
