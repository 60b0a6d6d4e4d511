import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { codeOf } from "../accounts/second-factor/SecondFactorTesting.ts"
import * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { escaped, hostile, placeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { authorizationResponse, authorizeUrl, http, newClient, password, redeem } from "./PagesTesting.ts"
import { alertOf, guarded, halfSignedIn, waiting, wrong, wrongCode } from "./SecurityTesting.ts"

/** The email of the account that is signed in in a browser. */
const signedInAs = (browser: Pick<ReturnType<typeof Browser.make>, "open">) =>
  Effect.map(
    browser.open(`${http}/app/account`),
    (page) => /[\w-]+@example\.com/.exec(placeOf(page) === "account" ? page.text : "")?.[0]
  )

layer(TestApp.layer())("A sign-in in two steps", (it) => {
  it.effect("asks for the code after the password, and then leads to the next page", () =>
    Effect.gen(function* () {
      const { account, code, secret, user_id } = yield* guarded
      const browser = yield* halfSignedIn(account, "?next=%2Fapp%2Fkeys%3Fa%3Db")
      assert.deepStrictEqual(
        browser.page.redirects.map(({ status }) => status),
        [303]
      )
      assertSafe(browser.page, http)
      assert.isUndefined(alertOf(browser.page))
      assert.isFalse(browser.cookies.has("session"))
      assert.lengthOf(yield* waiting(user_id), 1)
      const again = yield* browser.submit({ otp: yield* wrongCode(secret) })
      assert.deepStrictEqual([again.status, alertOf(again)], [401, wrong])
      assert.match(again.text, /<title>Error: Enter your code/)
      assertSafe(again, http)
      assert.isFalse(browser.cookies.has("session"))
      const otp = yield* code
      const next = yield* browser.submit({ otp: `${otp.slice(0, 3)} ${otp.slice(3)}` })
      assert.deepStrictEqual([placeOf(next), next.redirects[0]?.status], ["keys?a=b", 303])
      assert.strictEqual(yield* signedInAs(browser), account.email)
      assert.isEmpty(yield* waiting(user_id))
      assert.strictEqual(placeOf(yield* browser.open(`${http}/app/sign-in/code?next=/app/wallet`)), "wallet")
    })
  )

  it.effect("leads only to pages of this service", () =>
    Effect.gen(function* () {
      const { account, code } = yield* guarded
      const browser = yield* halfSignedIn(account, `?next=${encodeURIComponent("//evil.example/app")}`)
      assert.strictEqual((yield* browser.submit({ otp: yield* code })).url, `${http}/app`)
    })
  )

  it.effect("keeps the request of an app that waits", () =>
    Effect.gen(function* () {
      const { account, code, secret } = yield* guarded
      const client = yield* newClient({ client_name: `Pilot ${hostile}` })
      const browser = yield* Browser.forServer(http)
      yield* browser.open(authorizeUrl(client))
      const page = yield* browser.submit({ email: account.email, password })
      assert.match(placeOf(page), /^sign-in\/code\?authorization=[0-9a-f-]{36}$/)
      assert.include(page.text, `<bdi>Pilot ${escaped}</bdi> can go on`)
      assertSafe(page, http)
      assert.include((yield* browser.submit({ otp: yield* wrongCode(secret) })).text, `Pilot ${escaped}`)
      assert.match(placeOf(yield* browser.submit({ otp: yield* code })), /^consent\//)
      const { code: granted = "" } = authorizationResponse(yield* browser.submit({ decision: "approve" }))
      assert.strictEqual((yield* redeem(client, granted)).status, 200)
      const gone = yield* browser.open(page.url.replace(/=.*/, `=${crypto.randomUUID()}`))
      assert.strictEqual(gone.status, 410)
    })
  )

  it.effect("accepts a code once: not again, not an earlier one, and of many requests from one only", () =>
    Effect.gen(function* () {
      const { account, code, codes, secret } = yield* guarded
      const otp = yield* code
      for (const used of [otp, codes[7] ?? ""]) {
        const browser = yield* halfSignedIn(account)
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => browser.submit({ otp: used })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
        for (const { status, text } of answers) if (status === 401) assert.include(text, "Sign in again")
      }
      const other = yield* halfSignedIn(account)
      for (const used of [otp, yield* codeOf(secret, -1), codes[7] ?? ""]) {
        const page = yield* other.submit({ otp: used })
        assert.deepStrictEqual([page.status, alertOf(page)], [401, wrong], used)
      }
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* other.submit({ otp: yield* code })).url, `${http}/app`)
      assert.strictEqual(yield* signedInAs(other), account.email)
      const again = yield* other.post(`${http}/app/sign-in/code`, {
        otp: codes[8] ?? "",
        form_token: other.page.forms[0]?.values["form_token"] ?? ""
      })
      assert.deepStrictEqual([again.status, wordsOf(again).includes("Sign in again")], [401, true])
      assert.include(wordsOf(yield* other.open(`${http}/app/security`)), "You have 9 recovery codes left.")
    })
  )

  it.effect("accepts a recovery code as people type it", () =>
    Effect.gen(function* () {
      const { account, codes } = yield* guarded
      for (const typed of [
        ` ${codes[0]?.toUpperCase()} `,
        codes[1]?.replaceAll("-", " "),
        codes[2]?.replaceAll("-", "")
      ]) {
        const browser = yield* halfSignedIn(account)
        assert.strictEqual((yield* browser.submit({ otp: typed ?? "" })).url, `${http}/app`, typed)
      }
    })
  )

  it.effect("asks again after a text that is no code, and shows none of it", () =>
    Effect.gen(function* () {
      const { account, code, user_id } = yield* guarded
      const browser = yield* halfSignedIn(account)
      const long = "x".repeat(60_000)
      for (const otp of [
        null,
        "",
        " ",
        "12345",
        "1".repeat(41),
        "12345\u0000",
        "١٢٣٤٥٦",
        hostile,
        hostile.slice(0, 40),
        long
      ]) {
        const page = yield* browser.submit({ otp })
        assert.deepStrictEqual([page.status, alertOf(page)], [401, wrong], otp?.slice(0, 50))
        assertSafe(page, http)
        assert.notInclude(page.text, "onerror")
        assert.isBelow(page.text.length, 10_000)
      }
      const right = yield* code
      assert.strictEqual((yield* browser.submit({ otp: right.padEnd(100_000, " ") })).status, 413)
      yield* browser.open(browser.page.url)
      const doubled = yield* browser.submit({ otp: [right, right] })
      assert.deepStrictEqual([doubled.status, alertOf(doubled)], [401, wrong])
      assert.lengthOf(yield* waiting(user_id), 1)
      assert.strictEqual((yield* browser.submit({ otp: right })).url, `${http}/app`)
    })
  )

  it.effect("refuses a form without its token, with another one or from another site", () =>
    Effect.gen(function* () {
      const { account, code } = yield* guarded
      const other = yield* halfSignedIn(account)
      const browser = yield* Browser.forServer(http)
      const first = yield* browser.open(`${http}/app/sign-in`)
      const second = yield* browser.submit({ email: account.email, password })
      const otp = yield* code
      for (const [fields, headers] of [
        [{ form_token: null }, {}],
        [{ form_token: "0".repeat(64) }, {}],
        [{ form_token: hostile }, {}],
        [{ form_token: first.forms[0]?.values["form_token"] ?? "" }, {}],
        [{ form_token: other.page.forms[0]?.values["form_token"] ?? "" }, {}],
        [{}, { "sec-fetch-site": "cross-site" }],
        [{}, { origin: "https://evil.example" }]
      ] as const) {
        yield* browser.open(second.url)
        const page = yield* browser.submit({ otp, ...fields }, { headers })
        assert.strictEqual(page.status, 403)
        if (Object.keys(headers).length === 0) assert.include(alertOf(page), "Please try again")
        else assert.include(page.text, "This form came from another site")
        assertSafe(page, http)
      }
      yield* browser.open(second.url)
      assert.strictEqual((yield* browser.submit({ otp })).url, `${http}/app`)
    })
  )

  it.effect("belongs to the browser and the person that began it", () =>
    Effect.gen(function* () {
      const owner = yield* guarded
      const other = yield* guarded
      const browser = yield* halfSignedIn(owner.account)
      const elsewhere = yield* Browser.forServer(http)
      assert.strictEqual(
        placeOf(yield* elsewhere.open(`${browser.page.url}?next=/app/keys`)),
        "sign-in?next=%2Fapp%2Fkeys"
      )
      const { form_token = "" } = (yield* other.browser.open(`${http}/app/sign-in`)).forms[0]?.values ?? {}
      const foreign = yield* halfSignedIn(other.account)
      for (const otp of [yield* other.code, other.codes[0] ?? ""])
        assert.strictEqual(alertOf(yield* browser.submit({ otp })), wrong, "a code of another person")
      assert.strictEqual((yield* browser.post(browser.page.url, { otp: yield* owner.code, form_token })).status, 403)
      assert.isUndefined(yield* signedInAs(browser))
      // The second person takes over the browser: from then on only a code of that person counts.
      yield* browser.open(`${http}/app/sign-in`)
      yield* browser.submit({ email: other.account.email, password })
      assert.strictEqual(alertOf(yield* browser.submit({ otp: yield* owner.code })), wrong)
      yield* browser.submit({ otp: yield* other.code })
      assert.strictEqual(yield* signedInAs(browser), other.account.email)
      yield* foreign.open(`${http}/app/sign-in/code`)
      yield* foreign.submit({ otp: other.codes[1] ?? "" })
      assert.strictEqual(yield* signedInAs(foreign), other.account.email)
    })
  )

  it.effect("does not disturb a person who signs in in the same browser instead", () =>
    Effect.gen(function* () {
      const { account, secret } = yield* guarded
      const stranger = yield* signedIn
      const browser = yield* halfSignedIn(account)
      const form_token = browser.page.forms[0]?.values["form_token"] ?? ""
      yield* browser.open(`${http}/app/sign-in`)
      yield* browser.submit({ email: stranger.account.email, password })
      assert.strictEqual((yield* browser.open(browser.page.url)).url, `${http}/app`)
      assert.strictEqual(
        (yield* browser.post(browser.page.url, { otp: yield* wrongCode(secret), form_token })).status,
        401
      )
      assert.strictEqual(yield* signedInAs(browser), stranger.account.email)
    })
  )

  it.effect("waits 10 minutes for the code", () =>
    Effect.gen(function* () {
      const { account, code } = yield* guarded
      const browser = yield* halfSignedIn(account, "?next=%2Fapp%2Fkeys")
      yield* TestClock.adjust("10 minutes")
      const late = yield* browser.submit({ otp: yield* code })
      assert.strictEqual(late.status, 401)
      assertSafe(late, http)
      assert.match(late.text, /href="\/app\/sign-in\?next=%2Fapp%2Fkeys"/)
      assert.isUndefined(yield* signedInAs(browser))
      assert.strictEqual(placeOf(yield* browser.open(browser.page.url)), "sign-in?next=%2Fapp%2Fkeys")
      yield* browser.submit({ email: account.email, password })
      assert.strictEqual(placeOf(yield* browser.submit({ otp: yield* code })), "keys")
    })
  )

  it.effect("ends with the second factor, and when the password changes", () =>
    Effect.gen(function* () {
      for (const ending of ["off", "password"]) {
        const { account, at, browser: mine, code, codes, user_id } = yield* guarded
        const browser = yield* halfSignedIn(account)
        yield* at(ending === "off" ? "security/turn-off" : "account/password")
        const done =
          ending === "off"
            ? yield* mine.submit({ password, otp: codes[0] ?? "" })
            : yield* mine.submit({ current_password: password, new_password: `${password} two` })
        assert.isBelow(done.status, 400)
        assert.isEmpty(yield* waiting(user_id), ending)
        const late = yield* browser.submit({ otp: yield* code })
        assert.deepStrictEqual([late.status, wordsOf(late).includes("Sign in again")], [401, true], ending)
        assert.isUndefined(yield* signedInAs(browser))
      }
    })
  )

  it.effect("waits in at most 10 browsers of an account", () =>
    Effect.gen(function* () {
      const { account, codes, user_id } = yield* guarded
      const oldest = yield* halfSignedIn(account)
      for (let n = 1; n <= 10; n++) {
        yield* TestClock.adjust("1 second")
        yield* halfSignedIn(account)
      }
      assert.lengthOf(yield* waiting(user_id), 10)
      assert.strictEqual((yield* oldest.submit({ otp: codes[0] ?? "" })).status, 401)
      const { body } = yield* request("POST", "/v1/auth/login", {
        body: { email: account.email, password, otp: codes[0] }
      })
      assert.isString(body.access_token, "the code is not used up")
    })
  )

  it.effect("speaks German", () =>
    Effect.gen(function* () {
      const { account } = yield* guarded
      const browser = yield* halfSignedIn(account)
      const page = yield* browser.open(browser.page.url, { headers: { "accept-language": "de" } })
      assert.include(page.text, '<html lang="de"')
      assertSafe(page, http)
      assert.notInclude(page.text, "Enter your code")
      assert.include(page.text, "Dann kann Ihnen nur der Betreiber dieses Dienstes helfen.")
    })
  )
})
