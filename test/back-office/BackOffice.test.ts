import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { http } from "../dashboard/PagesTesting.ts"
import * as Browser from "../support/Browser.ts"
import { backOfficeRoutes } from "../support/DashboardRoutes.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { admin, invited, nextCode, password, secretOn, signedIn } from "./BackOfficeTesting.ts"

const heading = ({ text }: Browser.Page) =>
  /<h1>([^]*?)<\/h1>/
    .exec(text)?.[1]
    ?.replace(/<[^>]*>/g, "")
    .trim()

layer(TestApp.layer())("The back office", (it) => {
  it.effect("does not exist before the first owner is added", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      for (const path of ["", "/sign-in", "/invite?token=x", "/staff", "/nothing"]) {
        const page = yield* browser.open(`${admin}${path}`)
        assert.deepStrictEqual([page.status, heading(page)], [404, "Page not found"], path)
        assert.notProperty(Object.fromEntries(browser.cookies), "staff-browser")
      }
      yield* invited("first@example.com", "owner")
      assert.strictEqual(heading(yield* browser.open(admin)), "Sign in to the back office")
    })
  )

  it.effect("lets an invited person in with a password and an authenticator app", () =>
    Effect.gen(function* () {
      const browser = yield* Browser.forServer(http)
      const link = yield* invited("ada@example.com", "support")
      const invite = yield* browser.open(link)
      assertSafe(invite, http)
      assert.include(invite.text, "ada@example.com")
      assert.strictEqual((yield* browser.submit({ password: "short" })).status, 422)
      assert.strictEqual(heading(yield* browser.submit({ password })), "Your password is set")
      assert.deepStrictEqual(
        [(yield* browser.open(link)).status, heading(yield* browser.open(link))],
        [400, "The invitation has ended"]
      )

      yield* browser.open(`${admin}/audit`)
      assert.strictEqual((yield* browser.submit({ email: "ada@example.com", password: "wrong password" })).status, 401)
      const enrol = yield* browser.submit({ email: "ada@example.com", password })
      assert.strictEqual(heading(enrol), "Set up your authenticator app")
      assertSafe(enrol, http)
      assert.match(enrol.setCookies.join(), /staff=pss_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/)
      assert.strictEqual(heading(yield* browser.open(`${admin}/staff`)), "Sign in to the back office")
      yield* browser.open(`${admin}/sign-in/code`)
      assert.strictEqual((yield* browser.submit({ otp: "000000" })).status, 403)
      const codes = yield* browser.submit({ otp: yield* nextCode(secretOn(enrol)) })
      assert.strictEqual(heading(codes), "Your recovery codes")
      const home = yield* browser.open(admin)
      assert.strictEqual(heading(home), "Overview")
      assert.include(home.text, "You are Ada support, Support.")
    })
  )

  it.effect("shows each role its own menu and pages, and records what it refuses", () =>
    Effect.gen(function* () {
      const owner = yield* signedIn("owner@example.com", "owner")
      for (const path of ["audit", "staff", "tokens"]) {
        assert.include(owner.page.text, `href="/admin/${path}"`)
        const page = yield* owner.browser.open(`${admin}/${path}`)
        assert.strictEqual(page.status, 200)
        assertSafe(page, http)
      }
      const viewer = yield* signedIn("viewer@example.com", "viewer")
      for (const path of ["audit", "staff", "tokens"]) {
        assert.notInclude(viewer.page.text, `href="/admin/${path}"`)
        const page = yield* viewer.browser.open(`${admin}/${path}`)
        assert.deepStrictEqual([page.status, heading(page)], [403, "This did not work"])
      }
      const sql = yield* SqlClient.SqlClient
      assert.isAtLeast(
        (yield* sql`SELECT FROM audit_event WHERE outcome = 'refused' AND actor_name = 'Ada viewer'`).length,
        2
      )
      assert.strictEqual((yield* owner.browser.open(`${admin}/nothing`)).status, 404)
      assert.strictEqual((yield* owner.browser.open(`${admin}/sign-out`)).status, 405)
    })
  )

  it.effect("asks for password and code before a change of people, and keeps the form", () =>
    Effect.gen(function* () {
      const { browser, secret } = yield* signedIn("boss@example.com", "owner")
      yield* TestClock.adjust("6 minutes")
      yield* browser.open(`${admin}/staff`)
      const ask = yield* browser.submit({ email: "new@example.com", name: "New", role: "support" })
      assert.deepStrictEqual([ask.status, heading(ask)], [403, "Confirm that it is you"])
      assertSafe(ask, http)
      const wrong = yield* browser.submit({ confirm_password: "wrong password", confirm_code: yield* nextCode(secret) })
      assert.include(wrong.text, "The password is wrong.")
      const link = yield* browser.submit({ confirm_password: password, confirm_code: yield* nextCode(secret) })
      assert.strictEqual(heading(link), "Give this link to New")
      assert.match(link.text, /\/admin\/invite\?token=[\w-]{43}/)

      const list = yield* browser.open(`${admin}/staff`)
      const [, id = ""] = /href="\/admin\/staff\/([\w-]{36})">New</.exec(list.text) ?? []
      yield* browser.open(`${admin}/staff/${id}`)
      const unreasoned = yield* browser.post(`${admin}/staff/${id}`, { act: "disable" })
      assert.strictEqual(unreasoned.status, 403)
      yield* browser.open(`${admin}/staff/${id}`)
      const changed = yield* browser.submit({ role: "viewer" })
      assert.include(changed.text, "The change is done.")
      assert.include(changed.text, "new@example.com · Viewer · Invited")
      const disabled = yield* browser.submit({ reason: "A test" })
      assert.include(disabled.text, "new@example.com · Viewer · Disabled")
      const log = yield* browser.open(`${admin}/audit?subject_id=${id}`)
      assert.include(log.text, "A test")
      assert.include(log.text, "[secret]")
    })
  )

  it.effect("creates and revokes tokens", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn("tokens@example.com", "owner")
      yield* browser.open(`${admin}/tokens`)
      assert.strictEqual((yield* browser.submit({ name: "Ops", days: "366" })).status, 422)
      yield* browser.open(`${admin}/tokens`)
      const page = yield* browser.submit({
        name: "Ops",
        permissions: ["me.read", "audit.read"],
        days: "7",
        allowed_ips: ""
      })
      const [, token = ""] = /(pst_[\w-]{43})/.exec(page.text) ?? []
      const me = Effect.map(request("GET", "/v1/admin/me", { user: token }), ({ status }) => status)
      assert.strictEqual(yield* me, 200)
      const list = yield* browser.open(`${admin}/tokens`)
      assert.include(list.text, "Ops")
      assert.notInclude(list.text, token)
      const [, id = ""] = /name="id" value="([\w-]{36})"/.exec(list.text) ?? []
      assert.include((yield* browser.submit({ id })).text, "The token is revoked.")
      assert.strictEqual(yield* me, 401)
      // A token is no session.
      browser.cookies.set("staff", token)
      assert.strictEqual(heading(yield* browser.open(admin)), "Sign in to the back office")
    })
  )

  it.effect("refuses forms of other sites, and forms without the token of this session", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn("forms@example.com", "owner")
      const sql = yield* SqlClient.SqlClient
      const fields = { email: "forged@example.com", name: "Forged", role: "owner" }
      const foreign = { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" } }
      const routes = yield* backOfficeRoutes("POST")
      assert.isAtLeast(routes.length, 12)
      for (const route of routes) {
        const page = yield* browser.post(`${http}${route.replace(/:\w+/g, randomUUID())}`, fields, foreign)
        assert.deepStrictEqual([page.status, heading(page)], [403, "This form came from another site"], route)
      }
      const other = yield* signedIn("other@example.com", "owner")
      yield* other.browser.open(`${admin}/staff`)
      const form_token =
        /name="form_token" value="(\w+)"/.exec((yield* other.browser.open(`${admin}/staff`)).text)?.[1] ?? ""
      for (const token of ["", form_token])
        assert.strictEqual((yield* browser.post(`${admin}/staff`, { ...fields, form_token: token })).status, 403)
      assert.isEmpty(yield* sql`SELECT FROM staff WHERE email = 'forged@example.com'`)
    })
  )

  it.effect("ends a session on sign-out and after 30 idle minutes, and leads back to the page", () =>
    Effect.gen(function* () {
      const { browser, cookie, secret } = yield* signedIn("idle@example.com", "owner")
      yield* TestClock.adjust("30 minutes")
      const gone = yield* browser.open(`${admin}/audit?outcome=done`)
      assert.strictEqual(heading(gone), "Sign in to the back office")
      yield* browser.submit({ email: "idle@example.com", password })
      const back = yield* browser.submit({ otp: yield* nextCode(secret) })
      assert.deepStrictEqual([heading(back), back.url], ["Audit log", `${admin}/audit?outcome=done`])
      const out = yield* browser.submit({}, { action: "sign-out" })
      assert.strictEqual(heading(out), "Sign in to the back office")
      browser.cookies.set("staff", cookie._tag === "Some" ? cookie.value : "")
      assert.strictEqual(heading(yield* browser.open(admin)), "Sign in to the back office")
      const away = yield* browser.open(`${admin}/sign-in?next=https://evil.example/`)
      assert.strictEqual(away.status, 200)
    })
  )

  it.effect("keeps the session when a link of another site opens a page without its cookie", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn("linked@example.com", "owner")
      const cookies = [...browser.cookies]
      browser.cookies.clear()
      const page = yield* browser.open(`${admin}/audit`, { headers: { "sec-fetch-site": "cross-site" } })
      assert.isFalse(page.setCookies.some((line) => line.startsWith("staff=")))
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      assert.strictEqual(heading(yield* browser.open(`${admin}/audit`)), "Audit log")
    })
  )

  it.effect("speaks German", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn("german@example.com", "owner")
      const page = yield* browser.open(`${admin}/staff`, { headers: { "accept-language": "de" } })
      assert.strictEqual(heading(page), "Mitarbeitende")
      const switched = yield* browser.open(`${http}/app/language/de?next=/admin/staff`)
      assert.strictEqual(heading(switched), "Mitarbeitende")
    })
  )
})

layer(TestApp.layer({ ADMIN_ALLOWED_IPS: "192.0.2.0/24" }))("The back office", (it) => {
  it.effect("is hidden from other addresses than those of the setting", () =>
    Effect.gen(function* () {
      yield* invited("first@example.com", "owner")
      const browser = yield* Browser.forServer(http)
      assert.strictEqual((yield* browser.open(`${admin}/sign-in`)).status, 404)
    })
  )
})

layer(TestApp.layer({ ADMIN_URL: "https://desk.proxies.test/staff-only" }))("The back office", (it) => {
  it.effect("with a host of its own answers on no other one, with cookies for this host only", () =>
    Effect.gen(function* () {
      yield* invited("first@example.com", "owner")
      const browser = yield* Browser.forServer("https://desk.proxies.test")
      const page = yield* browser.open("https://desk.proxies.test/staff-only/sign-in")
      assert.strictEqual(page.status, 200)
      assert.match(page.setCookies.join(), /__Host-staff-browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict/)
      const elsewhere = yield* Browser.forServer(http)
      assert.strictEqual((yield* elsewhere.open(`${http}/staff-only/sign-in`)).status, 404)
      assert.strictEqual((yield* elsewhere.open(`${http}/admin`)).status, 404)
    })
  )
})
