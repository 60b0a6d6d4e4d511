import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import {
  atConsent,
  authorizeUrl,
  http,
  https,
  newAccount,
  newClient,
  password,
  authorizationResponse
} from "../../dashboard/PagesTesting.ts"
import * as FormToken from "../../../src/pages/FormToken.ts"
import * as Browser from "../../support/Browser.ts"
import { assertSafe } from "../../support/Markup.ts"
import * as TestApp from "../../support/TestApp.ts"
import { connected, connectionsOf, evil, post, withoutFollowing } from "./AttackTesting.ts"

const pathOf = ({ url }: Browser.Page) => new URL(url).pathname

/** Signs in; returns the next page. */
const signIn = (browser: Effect.Success<ReturnType<typeof Browser.forServer>>, { email }: { readonly email: string }) =>
  browser.submit({ email, password })

layer(TestApp.layer(), { excludeTestServices: true })("Attacks on the pages", (it) => {
  it.effect("clickjacking, sniffing, caching, scripts: the headers of every page prevent them", () =>
    Effect.gen(function* () {
      const { browser, client, page: consent } = yield* atConsent()
      const stranger = yield* Browser.forServer(http)
      const pages = [
        consent,
        yield* browser.submit({ decision: "approve", form_token: null }),
        yield* browser.submit({ decision: "perhaps" }),
        yield* browser.open(`${http}/app/connections`),
        yield* browser.open(`${http}/app/consent/${randomUUID()}`),
        yield* browser.open(authorizeUrl({ ...client, client_id: "dcr_unknown" })),
        yield* browser.open(`${http}/app/nowhere`),
        yield* stranger.open(`${http}/app/register`),
        yield* stranger.open(`${http}/app/claim`),
        yield* stranger.open(`${http}/app/sign-in`),
        yield* stranger.submit({ email: "x", password: "y" })
      ]
      assert.deepStrictEqual(
        pages.map(({ status }) => status),
        [200, 403, 422, 200, 410, 400, 404, 200, 200, 200, 401]
      )
      // Only the forms of the consent page lead to the app.
      for (const [index, page] of pages.entries()) assertSafe(page, http, index < 3 ? ["http:"] : [])
    })
  )

  it.effect("open redirector: no parameter and no path leads to another host", () =>
    Effect.gen(function* () {
      const account = yield* newAccount
      const target = encodeURIComponent(`${evil}/`)
      for (const name of ["next", "return_to", "redirect", "redirect_uri", "continue", "url", "authorization"])
        for (const value of [target, "//evil.example", "%5C%5Cevil.example", "..%2F..%2F%2Fevil.example"]) {
          const browser = yield* Browser.forServer(http)
          const page = yield* browser.open(`${http}/app/sign-in?${name}=${value}`)
          if (name === "authorization") assert.strictEqual(page.status, 410)
          for (const [, to = ""] of page.text.matchAll(/\s(?:href|src|action)="([^"]*)"/g))
            assert.strictEqual(new URL(to.replaceAll("&amp;", "&"), page.url).origin, http, to)
          assert.isTrue(page.redirects.every(({ location }) => location.startsWith(`${http}/app/`)))
        }
      const browser = yield* Browser.forServer(http)
      yield* browser.open(`${http}/app/sign-in?next=${target}`)
      const after = yield* signIn(browser, account)
      assert.deepStrictEqual([after.isElsewhere, pathOf(after)], [false, "/app"])
      for (const path of [
        "//evil.example/app",
        "/app//evil.example",
        "/app/%2F%2Fevil.example",
        "/app/\\evil.example"
      ]) {
        const page = yield* browser.open(http + path)
        assert.deepStrictEqual([page.isElsewhere, page.status], [false, 404], path)
      }
    })
  )

  it.effect("session fixation: signing in replaces and ends a planted session", () =>
    Effect.gen(function* () {
      const attacker = yield* Browser.forServer(http)
      yield* attacker.open(`${http}/app/sign-in`)
      yield* signIn(attacker, yield* newAccount)
      const planted = attacker.cookies.get("session") ?? ""

      const victim = yield* Browser.forServer(http)
      yield* victim.open(`${http}/app/sign-in`)
      victim.cookies.set("session", planted)
      const account = yield* newAccount
      const page = yield* signIn(victim, account)
      assert.include(page.text, account.email)
      assert.notStrictEqual(victim.cookies.get("session"), planted)
      assert.strictEqual(pathOf(yield* attacker.open(`${http}/app/connections`)), "/app/sign-in")

      const before = victim.cookies.get("session") ?? ""
      yield* victim.submit({}, { action: "/sign-out" })
      yield* signIn(victim, account)
      assert.notStrictEqual(victim.cookies.get("session"), before)
    })
  )

  it.effect("a forged browser cookie is replaced by a random one", () =>
    Effect.gen(function* () {
      for (const planted of ["", "a", "a".repeat(44), `${"a".repeat(42)}!`]) {
        const browser = yield* Browser.forServer(http)
        browser.cookies.set("browser", planted)
        yield* browser.open(`${http}/app/sign-in`)
        assert.match(browser.cookies.get("browser") ?? "", /^[\w-]{43}$/)
      }
    })
  )

  it.effect("a form of another site, or with the token of another page, cannot disconnect, sign in or sign out", () =>
    Effect.gen(function* () {
      const { account, browser } = yield* connected()
      yield* browser.open(`${http}/app/connections`)
      const tokenOf = (action: string) =>
        browser.page()?.forms.find((form) => form.action.includes(action))?.values["form_token"] ?? ""
      const [revoke, signOut] = [tokenOf("/revoke"), tokenOf("/sign-out")]
      for (const [fields, headers] of [
        [{ form_token: signOut }, {}],
        [{ form_token: null }, {}],
        [{}, { "sec-fetch-site": "cross-site" }],
        [{}, { origin: evil }]
      ] as const) {
        yield* browser.open(`${http}/app/connections`)
        assert.strictEqual((yield* browser.submit(fields, { action: "/revoke", headers })).status, 403)
      }
      yield* browser.open(`${http}/app/connections`)
      yield* browser.submit({ form_token: revoke }, { action: "/sign-out" })
      yield* browser.submit({}, { action: "/sign-out", headers: { origin: evil } })
      assert.strictEqual(yield* connectionsOf(account.id), 1)
      assert.strictEqual(pathOf(yield* browser.open(`${http}/app/connections`)), "/app/connections")

      const stranger = yield* Browser.forServer(http)
      yield* stranger.open(`${http}/app/register`)
      const register = stranger.page()?.forms[0]?.values["form_token"] ?? ""
      yield* stranger.open(`${http}/app/sign-in`)
      const answer = yield* stranger.submit({ email: account.email, password, form_token: register })
      assert.deepStrictEqual([answer.status, stranger.cookies.has("session")], [403, false])
    })
  )

  it.effect("an attacker cannot disconnect another account's app, even with valid tokens of the own browser", () =>
    Effect.gen(function* () {
      const victim = yield* connected()
      const list = yield* victim.browser.open(`${http}/app/connections`)
      const path = new URL(list.forms.find(({ action }) => action.includes("/revoke"))?.action ?? "").pathname
      const attacker = yield* connected()
      const purpose = `${path}:${attacker.account.id}`
      const form_token = FormToken.make(attacker.browser.cookies.get("browser") ?? "", purpose)
      const cookie = [...attacker.browser.cookies].map((pair) => pair.join("=")).join("; ")
      const { status } = yield* withoutFollowing(post(path, { form_token }, { cookie }))
      assert.strictEqual(status, 303)
      assert.deepStrictEqual(
        [yield* connectionsOf(victim.account.id), yield* connectionsOf(attacker.account.id)],
        [1, 1]
      )
    })
  )

  it.effect("markup in the texts of an app or a person is escaped on every page", () =>
    Effect.gen(function* () {
      const script = `<script>alert("1")</script>`
      const { browser, page } = yield* atConsent({ metadata: { client_name: script } })
      yield* browser.submit({ decision: "approve" })
      const list = yield* browser.open(`${http}/app/connections`)
      const waiting = yield* Browser.forServer(http)
      const client = yield* newClient({ client_name: script })
      const door = yield* waiting.open(authorizeUrl(client))
      const register = yield* waiting.open(door.url.replace("sign-in", "register"))
      const wrong = yield* waiting.submit({ email: `"><script>`, password: "y", name: script, referral_code: script })
      for (const { text } of [page, list, door, register, wrong]) {
        assert.include(text, "&lt;script&gt;")
        assert.notInclude(text, "<script>")
      }
    })
  )

  it.effect("no page shows the secrets of its cookies", () =>
    Effect.gen(function* () {
      const { browser, page } = yield* atConsent()
      const list = yield* browser.open(`${http}/app/connections`)
      assert.sameMembers([...browser.cookies.keys()], ["browser", "known", "session"])
      for (const secret of browser.cookies.values())
        for (const { text, url } of [page, list]) assert.notInclude(text + url, secret)
    })
  )
})

layer(TestApp.layer({ PUBLIC_URL: https }), { excludeTestServices: true })("Attacks on the pages over https", (it) => {
  it.effect(
    "cookies planted by a sibling host or plain http are not read, and the service's cookies go to no other host",
    () =>
      Effect.gen(function* () {
        const account = yield* newAccount
        const other = yield* Browser.forServer(https)
        const page = yield* other.open(`${https}/app/sign-in`)
        assert.match(page.setCookies.join(), /^__Host-browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
        yield* signIn(other, account)
        const session = other.cookies.get("__Host-session") ?? ""
        assert.match(session, /^pbs_/)

        const victim = yield* Browser.forServer(https)
        victim.cookies.set("session", session).set("browser", other.cookies.get("__Host-browser") ?? "")
        const shown = yield* victim.open(`${https}/app/connections`)
        assert.strictEqual(pathOf(shown), "/app/sign-in")
        assert.notStrictEqual(victim.cookies.get("__Host-browser"), other.cookies.get("__Host-browser"))
      })
  )

  it.effect("a request begun in another browser cannot be approved in this one, whatever its cookies", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const attacker = yield* Browser.forServer(https)
      const begun = yield* attacker.open(authorizeUrl(client, { issuer: https }))
      const victim = yield* Browser.forServer(https)
      victim.cookies.set("browser", attacker.cookies.get("__Host-browser") ?? "")
      yield* victim.open(`${https}/app/sign-in`)
      yield* signIn(victim, yield* newAccount)
      const id = new URL(begun.url).searchParams.get("authorization") ?? ""
      assert.strictEqual((yield* victim.open(`${https}/app/consent/${id}`)).status, 410)
      const own = yield* victim.open(authorizeUrl(client, { issuer: https }))
      assert.strictEqual(own.status, 200)
      assert.strictEqual(authorizationResponse(yield* victim.submit({ decision: "approve" }))["iss"], https)
    })
  )
})
