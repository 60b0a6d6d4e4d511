import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { encode } from "uqr"
import { codeOf } from "../accounts/second-factor/SecondFactorTesting.ts"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { anotherBrowser, faultsOf, hostile, noticeOf, placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { codesOn, guarded, loginWith, secretOn, stored, verified, wrong, wrongCode } from "./SecurityTesting.ts"

/** The address that a page leads an app on the same device to. */
const uriOn = ({ text }: Browser.Page) =>
  /href="(otpauth:[^"]*)"/.exec(text)?.[1]?.replaceAll("&#39;", "'").replaceAll("&amp;", "&") ?? ""

/** The dark modules of the QR code that a page draws. */
const modulesOn = ({ text }: Browser.Page) => {
  const [, size = "", path = ""] = /<svg class="qr" viewBox="0 0 (\d+) \1"[^>]*>\s*<path d="([^"]*)"/.exec(text) ?? []
  const modules = Array.from({ length: Number(size) }, () => Array.from({ length: Number(size) }, () => false))
  let [x, y] = [0, 0]
  for (const [, command, first = "", second = "", run = ""] of path.matchAll(/([Mm])(-?\d+) ([\d.]+)h(\d+)/g)) {
    if (command === "M") [x, y] = [Number(first), Math.floor(Number(second))]
    else x += Number(first)
    modules[y]?.fill(true, x, x + Number(run))
    x += Number(run)
  }
  return modules
}

layer(TestApp.layer())("The pages of the second factor", (it) => {
  it.effect("turn it on: the password, the secret and its QR code, a first code, and the recovery codes once", () =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* verified
      const off = yield* at("security")
      assertSafe(off, http)
      assert.match(wordsOf(off), /Two-step sign-in Off/)
      const refused = yield* browser.submit({ password: "not the password" })
      assert.deepStrictEqual(
        [refused.status, placeOf(refused), Object.keys(faultsOf(refused))],
        [403, "security", ["password"]]
      )
      const setup = yield* browser.submit({ password })
      assert.deepStrictEqual([setup.status, placeOf(setup)], [200, "security/setup"])
      assertSafe(setup, http)
      const secret = secretOn(setup)
      const uri = uriOn(setup)
      assert.match(uri, new RegExp(`^otpauth://totp/[^:]+:${encodeURIComponent(account.email)}\\?secret=${secret}&`))
      assert.deepStrictEqual(modulesOn(setup), encode(uri, { ecc: "M", border: 2 }).data)
      const again = yield* browser.submit({ otp: yield* wrongCode(secret) })
      assert.deepStrictEqual([again.status, faultsOf(again), secretOn(again)], [403, { otp: wrong }, secret])
      assert.deepStrictEqual(yield* stored(user_id), { isOn: false, codes: [] })
      const otp = yield* codeOf(secret)
      const on = yield* browser.submit({ otp: `${otp.slice(0, 3)} ${otp.slice(3)}` })
      assert.deepStrictEqual(
        [on.status, noticeOf(on)],
        [200, "Two-step sign-in is on. All other devices are signed out."]
      )
      assertSafe(on, http)
      const codes = codesOn(on)
      assert.include(wordsOf(on), "only the operator of this service can help you.")
      assert.lengthOf(new Set(codes), 10)
      assert.lengthOf((yield* stored(user_id)).codes, 10)
      assert.strictEqual(yield* loginWith(account.email), 401)
      assert.strictEqual(yield* loginWith(account.email, codes[0]), 200)
    })
  )

  it.effect("show the recovery codes only once: not after a reload, in another language, or on another page", () =>
    Effect.gen(function* () {
      const { at, browser, post, user_id } = yield* verified
      yield* at("security")
      const secret = secretOn(yield* browser.submit({ password }))
      const otp = yield* codeOf(secret)
      const shown = yield* browser.submit({ otp })
      const codes = codesOn(shown)
      const { codes: hashes } = yield* stored(user_id)
      const reloaded = yield* post("security/setup", { otp })
      assert.strictEqual(reloaded.status, 409)
      assert.include(faultsOf(reloaded)[""], "If you did not see your recovery codes, get new ones here.")
      const next = /href="[^"]*(\/app\/language\/de\?next=[^"]*)"/.exec(shown.text)?.[1] ?? ""
      const german = yield* browser.open(`${http}${next}`)
      assert.include(german.text, "Anmeldung in zwei Schritten")
      yield* at("language/en")
      const opened = yield* at("security/setup")
      for (const page of [german, opened]) assert.deepStrictEqual([page.status, placeOf(page)], [200, "security"])
      assert.include(wordsOf(opened), "You have 10 recovery codes left.")
      for (const page of [reloaded, german, opened, yield* at("security/recovery-codes"), yield* at("account")])
        for (const secretly of [secret, ...codes]) assert.notInclude(page.text, secretly, page.url)
      assert.deepStrictEqual((yield* stored(user_id)).codes, hashes)
    })
  )

  it.effect("are linked from the account, and need a sign-in, which leads back", () =>
    Effect.gen(function* () {
      const { account, at, browser } = yield* verified
      const { text } = yield* at("account")
      assert.match(text, /<li>\s*<a href="\/app\/security">Security<\/a>/)
      assert.include(text, "Your password, two-step sign-in, passkeys and the devices where you are signed in.")
      browser.cookies.delete("session")
      for (const path of ["security", "security/setup", "security/recovery-codes", "security/turn-off"])
        assert.strictEqual(placeOf(yield* at(path)), `sign-in?next=${encodeURIComponent(`/app/${path}`)}`)
      const back = yield* browser.submit({ email: account.email, password })
      // It is off, so that there is nothing to turn off.
      assert.strictEqual(placeOf(back), "security")
    })
  )

  it.effect("ask to verify the email first", () =>
    Effect.gen(function* () {
      const { at, post, user_id } = yield* signedIn
      const page = yield* at("security")
      assertSafe(page, http)
      assert.notInclude(page.text, 'type="password"')
      assert.match(page.text, /Verify your email first: <a href="\/app\/email">/)
      const refused = yield* post("security", { password })
      assert.deepStrictEqual([refused.status, Object.keys(faultsOf(refused))], [403, [""]])
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`SELECT FROM second_factor_setup WHERE user_id = ${user_id}`)
    })
  )

  it.effect("keep a secret to the browser that began, for 15 minutes; another one replaces it", () =>
    Effect.gen(function* () {
      const { account, at, browser, user_id } = yield* verified
      const other = yield* anotherBrowser(account)
      yield* at("security")
      const secret = secretOn(yield* browser.submit({ password }))
      assert.strictEqual(secretOn(yield* at("security/setup")), secret, "a reload")
      assert.strictEqual(placeOf(yield* other.open(`${http}/app/security/setup`)), "security")
      const newer = secretOn(yield* other.submit({ password }))
      assert.notStrictEqual(newer, secret)
      const ended = yield* browser.submit({ otp: yield* codeOf(newer) })
      assert.deepStrictEqual([ended.status, placeOf(ended)], [409, "security/setup"])
      const notStarted = "The secret was shown more than 15 minutes ago, or in another browser. Begin again."
      assert.deepStrictEqual(faultsOf(ended), { "": notStarted })
      yield* TestClock.adjust("15 minutes")
      for (const otp of [yield* codeOf(newer), null]) {
        const late = yield* other.submit({ otp })
        assert.deepStrictEqual(faultsOf(late), { "": notStarted })
        assert.include(late.text, 'type="password"', "the person can begin again")
        yield* other.open(`${http}/app/security`)
        yield* other.submit({ password })
        yield* TestClock.adjust("15 minutes")
      }
      assert.isFalse((yield* stored(user_id)).isOn)
    })
  )

  it.effect("send the recovery codes as a file, and no other text", () =>
    Effect.gen(function* () {
      const { at, browser, post } = yield* verified
      yield* at("security")
      const secret = secretOn(yield* browser.submit({ password }))
      const codes = codesOn(yield* browser.submit({ otp: yield* codeOf(secret) }))
      const file = yield* browser.submit({}, { action: "recovery-codes/file" })
      assert.deepInclude(file.headers, {
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": 'attachment; filename="recovery-codes.txt"',
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
      assert.deepStrictEqual(file.text.split("\r\n").slice(2, -1), codes)
      const [code = ""] = codes
      for (const sent of ["", hostile, code.toUpperCase(), `${code}\n${code}`, Array(11).fill(code).join(" ")]) {
        const page = yield* post("security/recovery-codes/file", { codes: sent })
        assert.strictEqual(page.status, 422, sent)
        assertSafe(page, http)
      }
      const foreign = yield* post("security/recovery-codes/file", { codes: code, form_token: "0".repeat(64) })
      assert.deepStrictEqual([foreign.status, foreign.headers["content-disposition"]], [403, undefined])
    })
  )

  it.effect("replace the recovery codes, with the password and a code", () =>
    Effect.gen(function* () {
      const { account, at, browser, code, codes, user_id } = yield* guarded
      const page = yield* at("security/recovery-codes")
      assertSafe(page, http)
      const fresh = yield* browser.submit({ password, otp: yield* code })
      assertSafe(fresh, http)
      assert.include(noticeOf(fresh), "The earlier ones no longer work.")
      const renewed = codesOn(fresh)
      assert.lengthOf(new Set([...codes, ...renewed]), 20)
      assert.strictEqual(yield* loginWith(account.email, codes[0]), 401)
      assert.strictEqual(yield* loginWith(account.email, renewed[0]), 200)
      const { codes: hashes } = yield* stored(user_id)
      const reloaded = yield* at("security/recovery-codes")
      for (const code of renewed) assert.notInclude(reloaded.text, code)
      const replayed = yield* browser.submit({ password, otp: yield* code })
      assert.deepStrictEqual([replayed.status, faultsOf(replayed)], [403, { otp: wrong }])
      assert.deepStrictEqual((yield* stored(user_id)).codes, hashes)
      yield* SqlClient.SqlClient.use(
        (sql) => sql`DELETE FROM recovery_code WHERE user_id = ${user_id} AND position > 2`
      )
      const few = yield* at("security")
      assert.match(few.text, /<p class="note">\s*You have 1 recovery code left\./)
    })
  )

  it.effect("turn it off, with the password and a code, also a recovery code", () =>
    Effect.gen(function* () {
      for (const kind of ["app", "recovery"]) {
        const { account, at, browser, code, codes, user_id } = yield* guarded
        assertSafe(yield* at("security/turn-off"), http)
        const otp = kind === "app" ? yield* code : ` ${codes[4]?.toUpperCase()} `
        const off = yield* browser.submit({ password, otp })
        assert.deepStrictEqual(
          [off.status, placeOf(off), noticeOf(off)],
          [200, "security?outcome=off", "Two-step sign-in is off. All other devices are signed out."]
        )
        assert.deepStrictEqual(yield* stored(user_id), { isOn: false, codes: [] })
        assert.strictEqual(yield* loginWith(account.email), 200)
      }
    })
  )

  it.effect("say in a second tab that it is off, or on, already", () =>
    Effect.gen(function* () {
      const { at, browser, code, codes, post } = yield* guarded
      for (const page of [yield* at("security?outcome=off"), yield* post("security", { password })]) {
        assert.match(wordsOf(page), /Two-step sign-in On/)
        assert.isUndefined(noticeOf(page))
      }
      for (const wrongly of ["not the password", ""]) {
        const page = yield* post("security", { password: wrongly })
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [""], "the page has no field for the password")
        assert.include(faultsOf(page)[""], "Two-step sign-in is on already.")
      }
      yield* at("security/turn-off")
      yield* browser.submit({ password, otp: yield* code })
      for (const path of ["security/turn-off", "security/recovery-codes"]) {
        for (const fields of [
          { password, otp: codes[0] ?? "" },
          { password, otp: "" }
        ]) {
          const page = yield* post(path, fields)
          assert.deepStrictEqual(faultsOf(page), { "": "Two-step sign-in is off." })
          assert.match(wordsOf(page), /Two-step sign-in Off/)
        }
        assert.strictEqual(placeOf(yield* at(path)), "security")
      }
    })
  )

  it.effect("write the email so that the app reads it, whatever its characters", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* verified
      const email = `o'brien+a&b=c%${user_id}@example.com`
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE user_account SET email = ${email} WHERE id = ${user_id}`)
      yield* at("security")
      const page = yield* browser.submit({ password })
      assertSafe(page, http)
      const uri = new URL(uriOn(page))
      assert.strictEqual(decodeURIComponent(uri.pathname).split(":").at(-1), email)
      assert.strictEqual(uri.searchParams.get("secret"), secretOn(page))
      assert.deepStrictEqual(modulesOn(page), encode(uri.href, { ecc: "M", border: 2 }).data)
    })
  )
})
