import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as BrandFolder from "../../src/brand/BrandFolder.ts"
import { example, folderWith } from "../brand/BrandTesting.ts"
import { codeOf } from "../accounts/second-factor/SecondFactorTesting.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe, assertShows, compact } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { signedIn } from "./DeskTesting.ts"
import { authorizeUrl, http, newClient, password } from "./PagesTesting.ts"
import { halfSignedIn, secretOn, verified } from "./SecurityTesting.ts"

const brand = Layer.unwrap(
  Effect.map(
    folderWith({
      ...example,
      "legal/privacy.md": "# Privacy & you\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>",
      "pages/sign-in.md": "Customers of <b>old Acme</b>: **reset** your password."
    }),
    (BRAND_DIR) =>
      BrandFolder.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ BRAND_DIR }))))
  )
)

const open = Effect.fnUntraced(function* (path: string) {
  const browser = yield* Browser.forServer(http)
  return yield* browser.open(`${http}${path}`)
})

/** A page has nothing that its policy would refuse, also no picture of another place in its logo. */
const assertPlain = (page: Browser.Page) => {
  assertSafe(page, http)
  assert.notMatch(page.text, /<img|url\((?!#logo-)/)
}

/** The style of a page. */
const styleOf = Effect.fnUntraced(function* ({ text }: Browser.Page) {
  const [, path = ""] = /<link rel="stylesheet" href="http:\/\/localhost:8080([^"]*)"/.exec(text) ?? []
  return String((yield* request("GET", path)).body)
})

const acme = {
  title: " · Acme Proxies</title>",
  logo: '<header class="brand own"><svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="16"',
  name: "</svg>Acme Proxies",
  support:
    '<p>Support: <a href="mailto:help@acme.example">help@acme.example</a> · <a href="https://acme.example/help">acme.example/help</a></p>',
  company: "<p>Acme Networks GmbH, HRB 12345, VAT DE123456789 · Hauptstraße 1, 10115 Berlin, Germany</p>",
  legal: `<p><a href="${http}/docs/guides">Guides</a> · <a href="${http}/app/status">Status</a> · <a href="${http}/app/legal/terms">Terms of service</a> · <a href="${http}/app/legal/privacy">Privacy &amp; you</a> · <a href="${http}/app/language/de?`
}

layer(Layer.provideMerge(TestApp.layer(), brand))("Pages with a brand", (it) => {
  it.effect("have its name, logo, colours, contacts, company and legal texts", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const authorization = authorizeUrl(client).slice(http.length)
      for (const [path, status] of [
        ["/app/sign-in", 200],
        ["/app/register", 200],
        ["/app/forgot-password", 200],
        ["/app/legal/terms", 200],
        ["/app/status", 200],
        ["/docs/guides/api", 200],
        ["/app/nowhere", 404],
        ["/oauth/authorize?client_id=dcr_unknown", 400],
        [authorization, 200]
      ] as const) {
        const page = yield* open(path)
        assert.strictEqual(page.status, status, path)
        for (const part of Object.values(acme)) assertShows(page.text, part, path)
        assert.notInclude(page.text, "Proxy Rental Service", path)
        if (!path.startsWith("/docs")) assertPlain(page)
        assert.include(yield* styleOf(page), "--accent: light-dark(#0b6b4f, #5fd3ac);")
      }
    })
  )

  it.effect("have its texts above the forms that have one", () =>
    Effect.gen(function* () {
      const signIn = yield* open("/app/sign-in")
      assert.include(signIn.text, "With your Acme Proxies account.")
      assert.include(
        signIn.text,
        "<p>Customers of &lt;b&gt;old Acme&lt;/b&gt;: <strong>reset</strong> your password.</p>"
      )
      const register = yield* open("/app/register")
      assert.include(register.text, '<a href="https://proxies.acme.example/app/legal/terms">terms</a>')
    })
  )

  it.effect("name its support in the help", () =>
    Effect.gen(function* () {
      const { at } = yield* signedIn
      const page = yield* at("help")
      assertPlain(page)
      assertShows(
        page.text,
        '<li><a href="mailto:help@acme.example">help@acme.example</a></li><li><a href="https://acme.example/help">acme.example/help</a></li>'
      )
    })
  )

  it.effect("name its support to a person who has lost the app and the recovery codes", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* verified
      yield* at("security")
      const secret = secretOn(yield* browser.submit({ password }))
      const on = yield* browser.submit({ otp: yield* codeOf(secret) })
      const half = yield* halfSignedIn(account)
      const support = '<a href="mailto:help@acme.example">help@acme.example</a>'
      assertShows(on.text, `only our support can help you: ${support}`)
      assertShows(half.page.text, `Write to our support: ${support}`)
    })
  )

  it.effect("have its own words", () =>
    Effect.gen(function* () {
      const signIn = yield* open("/app/sign-in")
      assert.include(signIn.text, "<title>Log in · Acme Proxies</title>")
      assertShows(signIn.text, "<h1>Log in</h1>")
      assert.include(signIn.text, "With your Acme Proxies account.")
      assertShows(signIn.text, '<p class="quiet">New at Acme Proxies? <a href="/app/register">Create one</a></p>')
      const missing = yield* open("/app/nowhere")
      assert.include(missing.text, "<h1>Page not found</h1>")
    })
  )

  it.effect("show its legal texts, and HTML in them as text", () =>
    Effect.gen(function* () {
      const terms = yield* open("/app/legal/terms")
      assertShows(terms.text, "<h1>Terms of service</h1><p>These terms apply to <strong>all orders</strong>")
      assertShows(terms.text, '<ol class="text" start="1"><li>We warn you first.</li>')
      assert.isEmpty(terms.setCookies)
      const privacy = yield* open("/app/legal/privacy")
      assert.include(privacy.text, "&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt;")
      assertPlain(privacy)
      assert.strictEqual((yield* open("/app/legal/refunds")).status, 404)
    })
  )

  it.effect("are not all that has its name: metadata and the introduction for language models have it too", () =>
    Effect.gen(function* () {
      const metadata = yield* request("GET", "/.well-known/oauth-protected-resource")
      assert.strictEqual(metadata.body.resource_name, "Acme Proxies")
      assert.match(String((yield* request("GET", "/llms.txt")).body), /^# Acme Proxies\n/)
      const { info } = (yield* request("GET", "/openapi.json")).body
      assert.strictEqual(info.title, "Proxy Rental Service")
      assert.include(info.description, "[guides](/docs/guides)")
    })
  )
})

layer(TestApp.layer())("Pages without a brand", (it) => {
  it.effect("have the built-in name, mark and colours, and only guides, status and languages in the foot", () =>
    Effect.gen(function* () {
      const page = yield* open("/app/sign-in")
      for (const part of [
        "<title>Sign in · Proxy Rental Service</title>",
        '<header class="brand">Proxy Rental Service</header>',
        "With your Proxy Rental Service account."
      ])
        assertShows(page.text, part)
      assert.include(yield* styleOf(page), "--accent: light-dark(#1a56c4, #86b0ff);")
      assert.notInclude(page.text, "<svg")
      assert.match(
        compact(page.text),
        /<footer><p><a [^>]*>Guides<\/a> · <a [^>]*>Status<\/a> · <a href="[^"]*\/language\/de\?[^"]*"[^>]*>Deutsch<\/a><\/p><\/footer>/
      )
      assertPlain(page)
      assert.strictEqual((yield* open("/app/legal/terms")).status, 404)
    })
  )
})
