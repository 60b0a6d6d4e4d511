import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Browser from "../support/Browser.ts"
import { assertShows } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import {
  atConsent,
  authorizeUrl,
  http,
  newAccount,
  newClient,
  password,
  redeem,
  authorizationResponse
} from "./PagesTesting.ts"

const pathOf = ({ url }: Browser.Page) => new URL(url).pathname

const at = Effect.fnUntraced(function* (path: string) {
  const browser = yield* Browser.forServer(http)
  return { browser, page: yield* browser.open(`${http}${path}`) }
})

const mistakes = [
  [{ email: "ada@example" }, "Enter an email address"],
  [{ password: "short" }, "8 to 128 characters"],
  [{ name: "n".repeat(101) }, "at most 100 characters"],
  [{ referral_code: "NOBODYS1" }, "No account has this referral code"]
] as const

layer(TestApp.layer())("the pages of an account", (it) => {
  it.effect("begin with the overview for a signed-in person, and with signing in for others", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { browser, page } = yield* at("/app")
      assert.strictEqual(pathOf(page), "/app/sign-in")
      assert.isTrue(page.redirects.every(({ status }) => status === 303))
      const overview = yield* browser.submit({ email: ` ${account.email.toUpperCase()} `, password })
      assert.strictEqual(pathOf(overview), "/app")
      assert.include(overview.text, account.email)
      assert.include(overview.text, "Verify your email")
      assert.strictEqual(pathOf(yield* browser.open(`${http}/app/sign-in`)), "/app")
      assert.strictEqual(pathOf(yield* browser.open(`${http}/app/register`)), "/app")
      assert.include((yield* browser.open(`${http}/app/connections`)).text, "No app is connected")
      const { status, text } = yield* browser.open(`${http}/app/nowhere`)
      assert.deepStrictEqual([status, text.includes("Page not found")], [404, true])
      assert.include(text, `<a href="${http}/app">Go to the overview</a>`)
    })
  )

  it.effect("lead a browser from the root of the service here, and a program to the documentation", () =>
    Effect.gen(function* () {
      const { page } = yield* at("/")
      assert.deepStrictEqual(page.redirects[0], { status: 302, location: `${http}/app` })
      assert.strictEqual(pathOf(page), "/app/sign-in")
      for (const [accept, location] of [
        ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "/app"],
        ["*/*", "/docs"],
        ["application/json", "/docs"]
      ] as const) {
        const browser = yield* Browser.forServer(http)
        const { redirects } = yield* browser.open(`${http}/`, { headers: { accept } })
        assert.deepStrictEqual(redirects[0], { status: 302, location: `${http}${location}` }, accept)
      }
    })
  )

  it.effect("refuse a form with two emails", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { browser } = yield* at("/app/sign-in")
      const doubled = yield* browser.submit({ email: [account.email, "other@example.com"], password })
      assert.deepStrictEqual([doubled.status, browser.cookies.has("session")], [401, false])
      assert.strictEqual(pathOf(yield* browser.submit({ email: account.email, password })), "/app")
    })
  )

  it.effect("keep the entered email when the password is wrong, and never the password", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { browser } = yield* at("/app/sign-in")
      for (const fields of [
        { email: account.email, password: "wrong horse" },
        { email: "nobody@example.com", password },
        { email: `"><script>`, password },
        { email: account.email, password: "" },
        { email: account.email, password: [password, "wrong horse"] }
      ]) {
        const { setCookies, status, text } = yield* browser.submit(fields)
        assert.strictEqual(status, 401)
        assert.match(text, /role="alert">No account has this email and password\./)
        assert.include(text, `value="${fields.email.replace(`"><script>`, "&quot;&gt;&lt;script&gt;")}"`)
        assert.notInclude(text, "wrong horse")
        assert.isEmpty(setCookies)
      }
    })
  )

  it.effect("refuse a form without its token, so that no other site can sign a person in, register or sign out", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { browser } = yield* at("/app/sign-in")
      const good = { email: account.email, password }
      for (const form_token of [null, "", "0".repeat(64)])
        assert.strictEqual((yield* browser.submit({ ...good, form_token })).status, 403)
      const other = yield* at("/app/sign-in")
      const foreign = other.page.forms[0]?.values["form_token"] ?? ""
      assert.strictEqual((yield* browser.submit({ ...good, form_token: foreign })).status, 403)
      assert.isFalse(browser.cookies.has("session"))
      yield* browser.submit(good)
      yield* browser.submit({ form_token: "0".repeat(64) }, { action: "/sign-out" })
      assert.strictEqual(pathOf(yield* browser.open(`${http}/app/connections`)), "/app/connections")
      const register = yield* at("/app/register")
      const { status } = yield* register.browser.submit({
        email: `${randomUUID()}@example.com`,
        password,
        form_token: null
      })
      assert.deepStrictEqual([status, register.browser.cookies.has("session")], [403, false])
    })
  )

  it.effect("set cookies that scripts and other sites do not get, and delete the session cookie at sign-out", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const { browser, page } = yield* at("/app/sign-in")
      assert.match(page.setCookies.join(), /^browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
      const { setCookies } = yield* browser.submit({ email: account.email, password })
      assert.match(
        setCookies.join(),
        /^session=pbs_[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax,known=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/
      )
      const session = browser.cookies.get("session") ?? ""
      const out = yield* browser.submit({}, { action: "/sign-out" })
      assert.match(out.setCookies.join(), /^session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
      browser.cookies.set("session", session)
      assert.strictEqual(pathOf(yield* browser.open(`${http}/app/connections`)), "/app/sign-in")
    })
  )

  it.effect("sign a new person in, and continue with the app that waits", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const signIn = yield* browser.open(authorizeUrl(yield* newClient()))
      const link = /href="([^"]*\/register\?authorization=[^"]*)"/.exec(signIn.text)?.[1] ?? ""
      const page = yield* browser.open(`${http}${link}`)
      assert.include(page.text, "Proxy Pilot")
      assert.match(page.text, /href="\/app\/sign-in\?authorization=/)
      const email = `${randomUUID()}@example.com`
      const consent = yield* browser.submit({ email, password, name: "Ada", referral_code: "" })
      assert.match(pathOf(consent), /^\/app\/consent\//)
      assert.include(consent.text, email)
    })
  )

  it.effect("show a fault of a registration beside its field, and keep the other fields", () =>
    Effect.gen(function* () {
      const { browser } = yield* at("/app/register")
      const right = { email: `${randomUUID()}@example.com`, password, name: "Ada", referral_code: "" }
      for (const [wrong, said] of mistakes) {
        const { status, text } = yield* browser.submit({ ...right, ...wrong })
        const [name = ""] = Object.keys(wrong)
        assert.strictEqual(status, 422)
        assert.match(
          text,
          new RegExp(`name="${name}"[^>]*aria-describedby="[^"]*${name}-error"[^>]*aria-invalid="true"`)
        )
        assert.match(text, new RegExp(`id="${name}-error">${said}`.replace(said, `[^<]*${said}`)))
        assert.include(text, "<title>Error: ")
        if (name !== "name") assert.include(text, `value="Ada"`)
        assert.notInclude(text, password)
      }
      const { email } = yield* newAccount
      const taken = yield* browser.submit({ ...right, email })
      assert.strictEqual(taken.status, 409)
      assert.include(taken.text, "sign in instead")
    })
  )

  it.effect("describe connected apps in words, and end the access of a disconnected app", () =>
    Effect.gen(function* () {
      const { browser, client } = yield* atConsent({ scopes: ["catalog:read", "orders:write"] })
      const { code = "" } = authorizationResponse(yield* browser.submit({ decision: "approve", orders_write: "on" }))
      const { body } = yield* redeem(client, code)
      const page = yield* browser.open(`${http}/app/connections`)
      for (const text of ["<bdi>Proxy Pilot</bdi>", "Not verified", "see the catalog", "spend money from your wallet"])
        assert.include(page.text, text)
      const forged = yield* browser.submit({ form_token: "0".repeat(64) }, { action: "/revoke" })
      assert.strictEqual(forged.status, 403)
      assert.include((yield* browser.open(`${http}/app/connections`)).text, "Proxy Pilot")
      const revoke = browser.submit({}, { action: "/revoke" })
      const answers = yield* Effect.all([revoke, revoke], { concurrency: "unbounded" })
      const notices = answers.map(({ text }) => /role="status">([^<,]*)/.exec(text)?.[1])
      assert.sameMembers(notices, [
        "The app is disconnected and no longer has access to your account.",
        "The app was no longer connected. Nothing was changed."
      ])
      for (const { text } of answers) assert.include(text, "No app is connected")
      const refreshed = yield* request("POST", "/oauth/token", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: body.refresh_token,
          client_id: client.client_id
        }).toString()
      })
      assert.deepStrictEqual([refreshed.status, refreshed.body.error], [400, "invalid_grant"])
    })
  )

  it.effect("list 50 connected apps per page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { account, browser } = yield* atConsent()
      yield* browser.submit({ decision: "approve" })
      // Connections at many resources; the approved one is the newest.
      yield* sql`
        WITH approved AS (SELECT * FROM oauth_grant WHERE user_id = ${account.id}),
        copies AS (
          INSERT INTO oauth_grant (id, user_id, client_id, resource, scopes, created_at, updated_at)
          SELECT gen_random_uuid(), user_id, client_id, resource || '/' || n, scopes, created_at, updated_at
          FROM approved, generate_series(1, 51) n RETURNING id
        )
        INSERT INTO oauth_connection (
          id, grant_id, code_hash, code_challenge, redirect_uri, code_expires_at, expires_at, created_at
        )
        SELECT
          gen_random_uuid(), copies.id, encode(sha256(copies.id::text::bytea), 'hex'), c.code_challenge, c.redirect_uri,
          c.code_expires_at, c.expires_at, c.created_at - interval '1 second'
        FROM copies, oauth_connection c JOIN approved a ON a.id = c.grant_id`
      const appsAt = Effect.fnUntraced(function* (path: string) {
        const page = yield* browser.open(`${http}${path}`)
        return {
          page,
          ids: page.forms.flatMap(({ action }) => /([\w-]+)\/revoke$/.exec(action)?.[1] ?? []),
          next: /href="([^"]*)">Next</.exec(page.text)?.[1]
        }
      })
      const first = yield* appsAt("/app/connections")
      assert.deepStrictEqual([first.ids.length, first.next], [50, "/app/connections?offset=50"])
      const second = yield* appsAt(first.next ?? "")
      assert.deepStrictEqual([second.ids.length, second.next], [2, undefined])
      assert.strictEqual(new Set([...first.ids, ...second.ids]).size, 52)
      assert.strictEqual((yield* appsAt("/app/connections?offset=52")).page.url, `${http}/app/connections`)
      assert.strictEqual((yield* appsAt("/app/connections?offset=-1")).ids.length, 50)
    })
  )

  it.effect("show the publisher of an app that a document describes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser, client, page } = yield* atConsent()
      const verified = `https://pilot.example.com:8443/client-${randomUUID()}.json`
      yield* sql`
        INSERT INTO oauth_client (
          id, is_verified, name, redirect_uris, grant_types, application_type, token_endpoint_auth_method, fresh_until,
          created_at, last_used_at
        ) SELECT
          ${verified}, true, name, redirect_uris, grant_types, application_type, 'none', '2099-01-01', created_at, last_used_at
        FROM oauth_client WHERE id = ${client.client_id}`
      assert.include(page.text, "Not verified")
      const consent = yield* browser.open(authorizeUrl({ ...client, client_id: verified }))
      assertShows(consent.text, "Verified</span> This app is published by <b>pilot.example.com:8443</b>")
      assert.notInclude(consent.text, "Not verified")
      assert.include(consent.text, "Another program on this computer may pretend to be this app")
    })
  )

  it.effect("make a person with the claim token the owner of an agent's account", () =>
    Effect.gen(function* () {
      const agent = yield* request("POST", "/agent/auth", {
        body: { type: "anonymous", requested_credential_type: "api_key" }
      })
      const { claim_token, claim_url } = agent.body
      const { browser, page } = yield* at(new URL(claim_url).pathname)
      assert.strictEqual(page.url, claim_url)
      const right = { claim_token: ` ${claim_token} `, email: `${randomUUID()}@example.com`, password }
      for (const [wrong, status] of [
        [{ claim_token: "" }, 422],
        [{ email: "ada" }, 422],
        [{ password: "short" }, 422],
        [{ claim_token: "clm_unknown" }, 400],
        [{ email: (yield* newAccount).email }, 409],
        [{ form_token: null }, 403]
      ] as const)
        assert.strictEqual((yield* browser.submit({ ...right, ...wrong })).status, status, JSON.stringify(wrong))
      const claimed = yield* browser.submit(right)
      assert.deepStrictEqual([claimed.status, claimed.text.includes("The account is yours")], [200, true])
      yield* browser.open(`${http}/app/sign-in`)
      assert.strictEqual(pathOf(yield* browser.submit({ email: right.email, password })), "/app")
    })
  )
})
