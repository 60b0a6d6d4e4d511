import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { anotherBrowser, escaped, faultsOf, hostile, noticeOf, signedIn, verifyEmail, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"

const better = "a better password"

const atAccount = Effect.tap(signedIn, ({ at }) => at("account"))
const atPassword = Effect.tap(signedIn, ({ at }) => at("account/password"))

const fieldOf = ({ text }: Browser.Page, name: string) =>
  new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1]

const storedOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* sql`SELECT name, email, password_hash FROM user_account WHERE id = ${user_id}`
  return account
})

const canSignIn = ({ account, browser }: Effect.Success<typeof signedIn>, secret: string) =>
  Effect.gen(function* () {
    browser.cookies.delete("session")
    yield* browser.open(`${http}/app/sign-in`)
    return (yield* browser.submit({ email: account.email, password: secret })).status === 200
  })

layer(TestApp.layer())("The page of the account", (it) => {
  it.effect("shows the profile, and leads to every page of the account", () =>
    Effect.gen(function* () {
      const { account, at, user_id } = yield* atAccount
      const page = yield* at("account")
      assertSafe(page, http)
      for (const said of [account.email, "Not verified", "Account since", "These pages are in English."])
        assert.include(wordsOf(page), said)
      const code = /<dt>Referral code<\/dt>\s*<dd>\s*<code>(\w+)</.exec(page.text)?.[1]
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM user_account WHERE id = ${user_id} AND referral_code = ${code}`, 1)
      assert.match(page.text, /href="\/app\/account"\s+aria-current="page"/)
      const links = [...page.text.matchAll(/href="\/app\/((?:account\/|email|wallet\/referrals)[^"]*)"/g)].map(
        ([, path = ""]) => path
      )
      assert.sameMembers(links, ["email", "wallet/referrals", "account/news", "account/export", "account/deletion"])
      for (const path of links) {
        const next = yield* at(path)
        assert.deepStrictEqual([next.status, next.url], [200, `${http}/app/${path}`])
        assertSafe(next, http)
      }
      assert.include(wordsOf(page), " Verify or change it ")
      yield* verifyEmail(user_id)
      const verified = yield* at("account")
      assert.notInclude(wordsOf(verified), "Not verified")
      assert.include(wordsOf(verified), " Change it ")
      for (const path of ["account/password", "account/sessions"]) {
        assert.include((yield* at("security")).text, `href="/app/${path}"`)
        const next = yield* at(path)
        assert.match(next.text, /href="\/app\/security"\s+aria-current="page"/)
        assertSafe(next, http)
      }
    })
  )

  it.effect("changes the language, and comes back", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* atAccount
      const german = yield* at("language/de?next=/app/account")
      assert.strictEqual(german.url, `${http}/app/account`)
      assert.include(wordsOf(german), "Diese Seiten sind auf Deutsch.")
      for (const path of ["password", "sessions", "export", "deletion"])
        assert.strictEqual((yield* at(`account/${path}`)).headers["content-language"], "de")
      assert.strictEqual(browser.cookies.get("language"), "de")
    })
  )

  it.effect("saves and removes the name", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* atAccount
      const saved = yield* browser.submit({ name: "Ada" })
      assert.deepStrictEqual([saved.url, noticeOf(saved)], [`${http}/app/account?outcome=named`, "Your name is saved."])
      assert.strictEqual(fieldOf(saved, "name"), "Ada")
      assert.deepInclude(yield* storedOf(user_id), { name: "Ada" })
      yield* browser.submit({ name: hostile })
      const page = yield* at("account")
      assert.strictEqual(fieldOf(page, "name"), escaped)
      assertSafe(page, http)
      yield* browser.submit({ name: "" })
      assert.deepInclude(yield* storedOf(user_id), { name: null })
    })
  )

  it.effect("refuses a wrong name, and keeps what was typed", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* atAccount
      yield* browser.submit({ name: "Ada" })
      for (const name of ["n".repeat(101), ["one", "two"]]) {
        const page = yield* browser.submit({ name })
        assert.strictEqual(page.status, 422)
        assert.deepStrictEqual(faultsOf(page), { name: "Enter a name of at most 100 characters" })
        assert.strictEqual(fieldOf(page, "name"), [name].flat()[0])
      }
      const stale = yield* browser.submit({ name: "Typed", form_token: "0".repeat(64) })
      assert.deepStrictEqual([stale.status, fieldOf(stale, "name")], [403, "Typed"])
      yield* at("account")
      assert.strictEqual((yield* browser.submit({ name: "n".repeat(100_000) })).status, 413)
      assert.deepInclude(yield* storedOf(user_id), { name: "Ada" })
    })
  )

  it.effect("keeps what was typed when the session has ended, and takes it after a new sign-in", () =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* atAccount
      browser.cookies.delete("session")
      const out = yield* browser.submit({ name: "Typed before" })
      assert.strictEqual(out.status, 401)
      assert.include(out.text, `name="name" value="Typed before"`)
      assert.deepInclude(yield* storedOf(user_id), { name: null })
      yield* at("sign-in")
      yield* browser.submit({ email: account.email, password })
      const again = yield* browser.post(`${http}/app/account`, { name: "Typed before" })
      assert.deepStrictEqual([again.status, fieldOf(again, "name")], [403, "Typed before"])
      yield* browser.submit({ name: "Typed before" })
      assert.deepInclude(yield* storedOf(user_id), { name: "Typed before" })
    })
  )

  it.effect("asks others to sign in first, and then shows the page", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* atAccount
      for (const path of ["account", "account/password", "account/sessions", "account/export", "account/deletion"]) {
        browser.cookies.delete("session")
        const page = yield* at(path)
        assert.strictEqual(page.url, `${http}/app/sign-in?next=${encodeURIComponent(`/app/${path}`)}`)
        assert.strictEqual((yield* browser.submit({ email: account.email, password })).url, `${http}/app/${path}`)
      }
    })
  )
})

layer(TestApp.layer())("The page of the password", (it) => {
  it.effect("changes the password: this browser stays signed in, every other one does not", () =>
    Effect.gen(function* () {
      const person = yield* atPassword
      const other = yield* anotherBrowser(person.account)
      const done = yield* person.browser.submit({ current_password: password, new_password: better })
      assert.strictEqual(done.url, `${http}/app/security?outcome=password`)
      assert.include(noticeOf(done), "Your password is changed.")
      assert.strictEqual((yield* person.at("account")).status, 200)
      assert.include((yield* other.open(`${http}/app/account`)).url, "/app/sign-in")
      assert.isFalse(yield* canSignIn(person, password))
      assert.isTrue(yield* canSignIn(person, better))
    })
  )

  it.effect("refuses wrong, missing and doubled fields, and shows no password", () =>
    Effect.gen(function* () {
      const person = yield* atPassword
      const { at, browser, user_id } = person
      const before = yield* storedOf(user_id)
      const right = { current_password: password, new_password: better }
      for (const [wrong, status, name] of [
        [{ current_password: "wrong horse" }, 403, "current_password"],
        [{ current_password: "" }, 422, "current_password"],
        [{ current_password: null }, 422, "current_password"],
        [{ current_password: [password, password] }, 422, "current_password"],
        [{ current_password: hostile }, 403, "current_password"],
        [{ new_password: "short" }, 422, "new_password"],
        [{ new_password: "p".repeat(129) }, 422, "new_password"],
        [{ new_password: null }, 422, "new_password"],
        [{ new_password: [better, "another password"] }, 422, "new_password"],
        [{ form_token: null }, 403, ""],
        [{ form_token: "0".repeat(64) }, 403, ""]
      ] as const) {
        yield* at("account/password")
        const page = yield* browser.submit({ ...right, ...wrong }, { action: "/password" })
        assert.strictEqual(page.status, status, JSON.stringify(wrong))
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [name], JSON.stringify(wrong))
        assertSafe(page, http)
        for (const secret of [password, better, "wrong horse"]) assert.notInclude(page.text, secret)
      }
      yield* at("account/password")
      const large = yield* browser.submit({ ...right, new_password: "p".repeat(100_000) }, { action: "/password" })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(yield* storedOf(user_id), before)
    })
  )

  it.effect("leads to the sign-in when the session has ended, because passwords are not kept", () =>
    Effect.gen(function* () {
      const person = yield* atPassword
      person.browser.cookies.delete("session")
      const page = yield* person.browser.submit({ current_password: password, new_password: better })
      assert.strictEqual(page.url, `${http}/app/sign-in`)
      assert.isTrue(yield* canSignIn(person, password))
    })
  )
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limit of the password", (it) => {
  it.effect("allows 10 attempts in a session", () =>
    Effect.gen(function* () {
      const person = yield* atPassword
      const wrong = { current_password: "wrong horse", new_password: better }
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* person.browser.submit(wrong)).status, 403)
      const page = yield* person.browser.submit({ ...wrong, current_password: password })
      assert.strictEqual(page.status, 429)
      assert.match(faultsOf(page)[""] ?? "", /^Too many attempts\. Try again in/)
      assert.isTrue(yield* canSignIn(person, password))
    })
  )
})

layer(TestApp.layer())("The page of the email", (it) => {
  it.effect("stands in the dashboard, and keeps what was typed", () =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* signedIn
      const page = yield* at("email")
      assertSafe(page, http)
      assert.match(page.text, /href="\/app\/account"\s+aria-current="page"/)
      for (const [wrong, status, name] of [
        [{ email: "ada" }, 422, "email"],
        [{ email: null }, 422, "email"],
        [{ email: ["one@example.com", "two@example.com"] }, 422, "email"],
        [{ email: hostile }, 422, "email"],
        [{ email: account.email }, 422, "email"],
        [{ email: "new@example.com", form_token: "0".repeat(64) }, 403, ""]
      ] as const) {
        yield* at("email")
        const answer = yield* browser.submit(wrong)
        assert.strictEqual(answer.status, status, JSON.stringify(wrong))
        assert.deepStrictEqual(Object.keys(faultsOf(answer)), [name])
        assertSafe(answer, http)
      }
      yield* at("email")
      const typed = yield* browser.submit({ email: hostile })
      assert.strictEqual(fieldOf(typed, "email"), escaped)
      assert.strictEqual((yield* browser.submit({ email: "e".repeat(100_000) })).status, 413)
      assert.deepInclude(yield* storedOf(user_id), { email: account.email })
      yield* at("email")
      browser.cookies.delete("session")
      const out = yield* browser.submit({ email: "kept@example.com" })
      assert.strictEqual(out.status, 401)
      assert.include(out.text, `name="email" value="kept@example.com"`)
    })
  )
})
