import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import {
  authorizeUrl,
  http,
  https,
  loopback,
  newAccount,
  newClient,
  password,
  redeem,
  authorizationResponse
} from "./PagesTesting.ts"

const app = "https://app.example.com"

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("the authorization endpoint", (it) => {
  it.effect("shows an error page without a redirect for an unknown app or address, and escapes the request", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const client = yield* newClient({ redirect_uris: ["https://pilot.example.com/cb"] })
      for (const wrong of [
        { ...client, client_id: `dcr_"><script>alert(1)</script>` },
        { ...client, redirect_uri: `https://evil.example/"><script>alert(1)</script>` },
        { ...client, redirect_uri: "javascript:alert(1)" }
      ]) {
        const page = yield* browser.open(authorizeUrl(wrong, { state: `"><script>alert(1)</script>` }))
        assert.deepStrictEqual([page.status, page.isElsewhere], [400, false])
        assert.include(page.text, "This app could not be connected")
        assert.match(page.text, /<code>invalid_\w+<\/code>/)
        assert.notMatch(page.text, /<script>|<form|evil\.example\/?["&]/)
        for (const [, href = ""] of page.text.matchAll(/<a\s+href="([^"]*)"/g))
          assert.match(href, /^http:\/\/localhost:8080\/(app|docs)\//)
        assertSafe(page, http)
      }
      const fault = yield* browser.open(authorizeUrl(client, { resource: "https://other.example" }))
      assert.deepStrictEqual([fault.status, fault.text.includes("<code>invalid_target</code>")], [400, true])
    })
  )

  it.effect("redirects other faults to a loopback app", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const page = yield* browser.open(authorizeUrl(yield* newClient(), { resource: "https://other.example" }))
      assert.isTrue(page.isElsewhere && page.url.startsWith(loopback))
      const { error, iss, state } = authorizationResponse(page)
      assert.deepStrictEqual({ error, iss, state }, { error: "invalid_target", iss: http, state: "a state & more" })
    })
  )

  it.effect("limits the requests per minute from one address", () =>
    Effect.gen(function* () {
      const open = request("GET", "/oauth/authorize")
      const pages = yield* Effect.all(
        Array.from({ length: 60 }, () => open),
        { concurrency: "unbounded" }
      )
      assert.isTrue(pages.some(({ status }) => status === 400))
      const { body, headers, status } = yield* open
      assert.deepStrictEqual([status, String(body).includes("Too many requests")], [429, true])
      assert.match(headers["retry-after"] ?? "", /^\d+$/)
    })
  )
})

layer(TestApp.layer({ PUBLIC_URL: https, APP_URL: `${app}/my` }))("with the pages on a host of their own", (it) => {
  it.effect("the request is redirected there unchanged, and the whole way to the app and back works", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const client = yield* newClient()
      const browser = yield* Browser.forServer(https, app)
      const start = authorizeUrl(client, { issuer: https })
      const signIn = yield* browser.open(start)
      assert.strictEqual(signIn.redirects[0]?.location, start.replace(`${https}/oauth`, `${app}/my`))
      assert.strictEqual(new URL(signIn.url).origin, app)
      assert.match(signIn.setCookies.join(), /^__Host-browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      const consent = yield* browser.submit({ email: account.email, password })
      assert.match(
        consent.setCookies.join(),
        /^__Host-session=pbs_[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax,__Host-known=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
      const { code = "", iss } = authorizationResponse(yield* browser.submit({ decision: "approve" }))
      assert.strictEqual(iss, https)
      assert.strictEqual((yield* redeem(client, code)).status, 200)
      assert.include((yield* browser.open(`${app}/my`)).text, account.email)
    })
  )

  it.effect("the host that receives a request shows its faults", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(https)
      const { isElsewhere, status } = yield* browser.open(`${https}/oauth/authorize?client_id=dcr_unknown`)
      assert.deepStrictEqual([isElsewhere, status], [false, 400])
      const page = yield* browser.open(
        authorizeUrl(yield* newClient(), { issuer: https, resource: "https://other.example" })
      )
      assert.strictEqual(authorizationResponse(page)["error"], "invalid_target")
    })
  )
})
