import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  atConsent,
  authorizeUrl,
  http,
  loopback,
  newAccount,
  newClient,
  password,
  redeem,
  authorizationResponse
} from "./PagesTesting.ts"

const rowsOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT g.scopes FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id WHERE g.user_id = ${user_id}`
  return rows.length
})

const limitOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ held: bigint | null }>`
    SELECT daily_spend_limit_usd AS held FROM oauth_grant WHERE user_id = ${user_id}`
  return row?.held
})

layer(TestApp.layer())("the consent page", (it) => {
  it.effect(
    "follows signing in and shows the app, the account, the requested access and the target of the redirect",
    () =>
      Effect.gen(function* () {
        const account = yield* newAccount
        const client = yield* newClient()
        const browser = yield* Browser.forServer(http)
        const signIn = yield* browser.open(authorizeUrl(client))
        assert.match(new URL(signIn.url).pathname, /^\/app\/sign-in$/)
        assert.include(signIn.text, "Sign in to connect <bdi>Proxy Pilot</bdi>")
        const page = yield* browser.submit({ email: account.email, password })
        assert.match(new URL(page.url).pathname, /^\/app\/consent\/[0-9a-f-]{36}$/)
        assert.deepStrictEqual(page.redirects, [{ status: 303, location: page.url }])
        for (const text of [
          "Connect <bdi>Proxy Pilot</bdi> to your account?",
          "We have not checked its name",
          account.email,
          "an app on this computer",
          "See the catalog",
          "See your profile",
          "logins and passwords",
          "See your wallet"
        ])
          assert.include(page.text, text)
        assert.notInclude(page.text, "orders_write")
      })
  )

  it.effect("sends an approval back to the app with a code, its state and the issuer", () =>
    Effect.gen(function* () {
      const { browser, client } = yield* atConsent()
      const back = yield* browser.submit({ decision: "approve" })
      assert.isTrue(back.isElsewhere)
      assert.strictEqual(back.redirects[0]?.status, 303)
      assert.isTrue(back.url.startsWith(`${loopback}?`))
      const { code, ...others } = authorizationResponse(back)
      assert.deepStrictEqual(others, { state: "a state & more", iss: http })
      const { body, status } = yield* redeem(client, code ?? "")
      assert.deepStrictEqual([status, body.scope], [200, "catalog:read account:read orders:read wallet:read"])
    })
  )

  it.effect("sends a refusal back to the app and grants nothing", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent({ scopes: ["orders:read", "orders:write"] })
      const { error, iss, state } = authorizationResponse(
        yield* browser.submit({ decision: "deny", orders_write: "on" })
      )
      assert.deepStrictEqual({ error, iss, state }, { error: "access_denied", iss: http, state: "a state & more" })
      assert.strictEqual(yield* rowsOf(account.id), 0)
    })
  )

  it.effect("grants spending only through its own box, which is not ticked by default", () =>
    Effect.gen(function* () {
      const { browser, client, page } = yield* atConsent({ scopes: ["orders:read", "orders:write"] })
      assert.match(page.text, /<input type="checkbox" id="orders_write" name="orders_write"/)
      assert.notMatch(page.text, /<input[^>]*\bchecked\b/)
      assert.include(page.text, "pays from your wallet without asking you again")
      const without = authorizationResponse(yield* browser.submit({ decision: "approve" }))
      assert.strictEqual((yield* redeem(client, without["code"] ?? "")).body.scope, "orders:read")
      yield* browser.open(authorizeUrl(client, { scopes: ["orders:read", "orders:write"] }))
      const ticked = authorizationResponse(yield* browser.submit({ decision: "approve", orders_write: "on" }))
      assert.strictEqual((yield* redeem(client, ticked["code"] ?? "")).body.scope, "orders:read orders:write")
    })
  )

  it.effect("proposes a daily limit and keeps the one that the person sets", () =>
    Effect.gen(function* () {
      const scopes = ["orders:read", "orders:write"] as const
      const { account, browser, client, page } = yield* atConsent({ scopes })
      assert.strictEqual(page.forms[0]?.values["daily_spend_limit_usd"], "25.00")
      yield* browser.submit({ decision: "approve", orders_write: "on", daily_spend_limit_usd: "12,5" })
      assert.strictEqual(yield* limitOf(account.id), 12_500_000n)
      const again = yield* browser.open(authorizeUrl(client, { scopes }))
      assert.strictEqual(again.forms[0]?.values["daily_spend_limit_usd"], "12.50")
      yield* browser.submit({ decision: "approve", orders_write: "on", daily_spend_limit_usd: "" })
      assert.strictEqual(yield* limitOf(account.id), null)
      const free = yield* browser.open(authorizeUrl(client, { scopes }))
      assert.strictEqual(free.forms[0]?.values["daily_spend_limit_usd"], "")
    })
  )

  it.effect("asks again when the daily limit is wrong, keeps what was typed, and grants nothing", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent({ scopes: ["orders:write"] })
      for (const typed of [
        "0",
        "-1",
        "1000001",
        "1,000",
        "1.000,50",
        "0.0000001",
        "x",
        "<b>5</b>",
        "9".repeat(50_000)
      ]) {
        const again = yield* browser.submit({ decision: "approve", orders_write: "on", daily_spend_limit_usd: typed })
        assert.strictEqual(again.status, 422, typed.slice(0, 10))
        assert.match(again.text, /id="daily_spend_limit_usd-error">Enter an amount/)
        assert.match(again.text, /<input type="checkbox" id="orders_write"[^>]* checked/)
        assert.strictEqual(again.forms[0]?.values["daily_spend_limit_usd"], typed.slice(0, 2048))
        assert.notInclude(again.text, "<b>5</b>")
      }
      assert.strictEqual(yield* rowsOf(account.id), 0)
      const unticked = yield* browser.submit({ decision: "approve", orders_write: null, daily_spend_limit_usd: "x" })
      assert.include(unticked.text, "Tick the box")
      const fields = { decision: "approve", orders_write: "on", daily_spend_limit_usd: "5" }
      assert.property(authorizationResponse(yield* browser.submit(fields)), "code")
      assert.strictEqual(yield* limitOf(account.id), 5_000_000n)
    })
  )

  it.effect("asks again when the app requests only spending and the box is not ticked", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent({ scopes: ["orders:write"] })
      const again = yield* browser.submit({ decision: "approve" })
      assert.strictEqual(again.status, 422)
      assert.include(again.text, "Tick the box")
      assert.strictEqual(yield* rowsOf(account.id), 0)
      assert.property(authorizationResponse(yield* browser.submit({ decision: "approve", orders_write: "on" })), "code")
    })
  )

  it.effect("decides once: only one of two identical forms yields a code", () =>
    Effect.gen(function* () {
      const { account, browser, page } = yield* atConsent()
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => browser.submit({ decision: "approve" })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter(({ isElsewhere }) => isElsewhere),
        1
      )
      const others = answers.filter(({ isElsewhere }) => !isElsewhere)
      for (const { status, text } of others) {
        assert.strictEqual(status, 410)
        assert.match(
          text,
          /If you have just approved the app, you are done\. .*<a href="\/app\/connections">Connected apps<\/a>/s
        )
        assert.include(text, "Go back to the app")
      }
      assert.strictEqual(yield* rowsOf(account.id), 1)
      assert.strictEqual((yield* browser.open(page.url)).status, 410)
    })
  )

  it.effect("is available for 10 minutes", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent()
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* browser.submit({ decision: "approve" })).status, 410)
      assert.strictEqual(yield* rowsOf(account.id), 0)
    })
  )

  it.effect("is not available in another browser, even when the same person signs in there", () =>
    Effect.gen(function* () {
      const { account, page } = yield* atConsent()
      const other = yield* Browser.forServer(http)
      yield* other.open(`${http}/app/sign-in`)
      yield* other.submit({ email: account.email, password })
      for (const path of [
        page.url,
        page.url.replace("consent/", "sign-in?authorization="),
        `${http}/app/consent/${randomUUID()}`,
        `${http}/app/consent/1`
      ]) {
        const { status, text } = yield* other.open(path)
        assert.strictEqual(status, 410)
        assert.notInclude(text, "Proxy Pilot")
      }
    })
  )

  it.effect("refuses a form without its token, with a wrong token or from another site, and changes nothing", () =>
    Effect.gen(function* () {
      const { account, browser, page } = yield* atConsent()
      for (const [fields, headers] of [
        [{ form_token: null }, {}],
        [{ form_token: "0".repeat(64) }, {}],
        [{ form_token: "é" }, {}],
        [{}, { "sec-fetch-site": "cross-site" }],
        [{}, { "sec-fetch-site": "same-site" }],
        [{}, { origin: "https://evil.example" }]
      ] as const) {
        const isForeign = Object.keys(headers).length > 0
        yield* browser.open(page.url)
        const { status, text } = yield* browser.submit({ decision: "approve", ...fields }, { headers })
        assert.strictEqual(status, 403)
        assert.include(text, isForeign ? "This form came from another site" : "Please try again")
        if (!isForeign) assert.include(text, "Proxy Pilot")
      }
      yield* browser.open(page.url)
      assert.strictEqual(yield* rowsOf(account.id), 0)
      assert.property(authorizationResponse(yield* browser.submit({ decision: "approve" })), "code")
    })
  )

  it.effect("asks again when the form has no decision", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent()
      assert.strictEqual((yield* browser.submit({}, { action: "/consent/" })).status, 422)
      assert.strictEqual((yield* browser.submit({ decision: "perhaps" })).status, 422)
      assert.strictEqual(yield* rowsOf(account.id), 0)
    })
  )

  it.effect("asks again when another account has signed in, and returns to this page after signing out", () =>
    Effect.gen(function* () {
      const { account, browser, page } = yield* atConsent()
      const stale = page.forms[0]?.values["form_token"] ?? ""
      const signIn = yield* browser.submit({}, { action: "/sign-out" })
      assert.include(signIn.text, "Sign in to connect")
      const other = yield* newAccount
      const consent = yield* browser.submit({ email: other.email, password })
      assert.include(consent.text, other.email)
      const again = yield* browser.submit({ decision: "approve", form_token: stale })
      assert.strictEqual(again.status, 403)
      yield* browser.submit({ decision: "approve" })
      assert.deepStrictEqual([yield* rowsOf(account.id), yield* rowsOf(other.id)], [0, 1])
    })
  )

  it.effect("asks to sign in again when the session has ended", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* atConsent()
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM user_session WHERE user_id = ${account.id}`
      const page = yield* browser.submit({ decision: "approve" })
      assert.strictEqual(new URL(page.url).pathname, "/app/sign-in")
      assert.include(page.text, "Sign in to connect")
      assert.strictEqual(yield* rowsOf(account.id), 0)
    })
  )

  it.effect("lets its form lead only to this host and to the app, and runs only the script of the pages", () =>
    Effect.gen(function* () {
      const { browser } = yield* atConsent()
      for (const [redirect_uri, target, said] of [
        [loopback, "http:", "an app on this computer"],
        ["http://[::1]:3999/cb", "http:", "an app on this computer"],
        ["https://pilot.example.com/cb", "https:", "pilot.example.com"],
        ["com.example.pilot:/cb", "com.example.pilot:", "com.example.pilot:"]
      ] as const) {
        const client = yield* newClient({ redirect_uris: [redirect_uri], application_type: "native" })
        const page = yield* browser.open(authorizeUrl(client))
        assertSafe(page, http, [target])
        assert.include(page.text, said)
      }
    })
  )

  it.effect("escapes the name of an app", () =>
    Effect.gen(function* () {
      const { browser, page } = yield* atConsent({
        state: `"><script>alert(1)</script>`,
        metadata: { client_name: `<script>alert("1")</script>'"&` }
      })
      assert.notInclude(page.text, "<script>")
      assert.include(page.text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&quot;&amp;")
      assert.strictEqual(
        authorizationResponse(yield* browser.submit({ decision: "approve" }))["state"],
        `"><script>alert(1)</script>`
      )
    })
  )
})
