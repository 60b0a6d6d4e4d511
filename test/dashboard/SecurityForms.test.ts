import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { codeOf } from "../accounts/second-factor/SecondFactorTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, hostile, placeOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { alertOf, guarded, halfSignedIn, loginWith, stored, verified, waiting, wrongCode } from "./SecurityTesting.ts"

layer(TestApp.layer())("The forms of the second factor", (it) => {
  it.effect("say what is wrong with each field, and change nothing", () =>
    Effect.gen(function* () {
      const other = yield* guarded
      const { account, at, browser, code, codes, secret, user_id } = yield* guarded
      const before = yield* stored(user_id)
      const right = { password, otp: yield* code }
      for (const path of ["security/turn-off", "security/recovery-codes"])
        for (const [wrongly, status, name] of [
          [{ password: "" }, 422, "password"],
          [{ password: null }, 422, "password"],
          [{ password: [password, password] }, 422, "password"],
          [{ password: "p".repeat(50_000) }, 422, "password"],
          [{ password: "not the password" }, 403, "password"],
          [{ otp: null }, 422, "otp"],
          [{ otp: "" }, 422, "otp"],
          [{ otp: "12345" }, 422, "otp"],
          [{ otp: "1".repeat(41) }, 422, "otp"],
          [{ otp: [right.otp, right.otp] }, 422, "otp"],
          [{ otp: hostile.slice(0, 40) }, 403, "otp"],
          [{ otp: yield* wrongCode(secret) }, 403, "otp"],
          [{ otp: yield* codeOf(secret, -1) }, 403, "otp"],
          [{ otp: other.codes[0] ?? "" }, 403, "otp"],
          [{ otp: `${codes[0]}2` }, 403, "otp"]
        ] as const) {
          yield* at(path)
          const page = yield* browser.submit({ ...right, ...wrongly })
          const sent = JSON.stringify(wrongly).slice(0, 100)
          assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [status, [name]], sent)
          assertSafe(page, http)
          assert.notInclude(page.text, right.otp, "a code is typed again")
        }
      yield* at("security/turn-off")
      assert.strictEqual((yield* browser.submit({ ...right, otp: "1".repeat(100_000) })).status, 413)
      assert.deepStrictEqual(yield* stored(user_id), before)
      assert.strictEqual(yield* loginWith(account.email, right.otp), 200, "the code is not used up")
    })
  )

  it.effect("refuse a form without its token, or with the token of another form, page or person", () =>
    Effect.gen(function* () {
      const person = yield* guarded
      const stranger = yield* guarded
      const before = yield* stored(person.user_id)
      const proof = { password, otp: yield* person.code }
      const tokenOn = Effect.fnUntraced(function* (of: typeof person, path: string) {
        const page = yield* of.at(path)
        return page.forms.find(({ action }) => action.endsWith(path))?.values["form_token"] as string
      })
      const foreign = yield* tokenOn(stranger, "security/turn-off")
      for (const [path, another] of [
        ["security/turn-off", "security/recovery-codes"],
        ["security/recovery-codes", "security/turn-off"],
        ["security", "security/turn-off"],
        ["security/setup", "security/turn-off"]
      ] as const) {
        for (const form_token of ["", "0".repeat(64), hostile, foreign, yield* tokenOn(person, another)]) {
          const page = yield* person.post(path, { ...proof, form_token })
          assert.strictEqual(page.status, 403, path)
          assert.include(faultsOf(page)[""], "Please try again")
        }
        for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
          yield* person.at("security/turn-off")
          assert.strictEqual((yield* person.browser.submit(proof, { headers })).status, 403)
        }
      }
      assert.deepStrictEqual(yield* stored(person.user_id), before)
      assert.strictEqual(yield* loginWith(person.account.email, proof.otp), 200, "the code is not used up")
    })
  )

  it.effect("keep neither the password nor the code of a person whose session has ended", () =>
    Effect.gen(function* () {
      const { at, browser, codes, user_id } = yield* guarded
      for (const path of ["security/turn-off", "security/recovery-codes"]) {
        const session = browser.cookies.get("session") ?? ""
        yield* at(path)
        browser.cookies.delete("session")
        const page = yield* browser.submit({ password, otp: codes[0] ?? "" })
        assert.deepStrictEqual([page.status, placeOf(page)], [200, "sign-in"])
        for (const secretly of [password, codes[0] ?? ""]) assert.notInclude(page.text, secretly)
        browser.cookies.set("session", session)
      }
      const { codes: left, isOn } = yield* stored(user_id)
      assert.deepStrictEqual([isOn, left.length], [true, 10])
    })
  )
})

layer(TestApp.layer({ AUTH_RATE_LIMIT_FACTOR: "1" }))("The limits of the second factor in the dashboard", (it) => {
  it.effect("refuse an account's code after 5 wrong ones, for 15 minutes", () =>
    Effect.gen(function* () {
      const { at, browser, code, codes, secret, user_id } = yield* guarded
      yield* at("security/turn-off")
      for (let n = 1; n <= 5; n++)
        assert.strictEqual((yield* browser.submit({ password, otp: yield* wrongCode(secret) })).status, 403)
      const limited = yield* browser.submit({ password, otp: yield* code })
      assert.deepStrictEqual([limited.status, Object.keys(faultsOf(limited))], [429, [""]])
      assertSafe(limited, http)
      assert.isTrue((yield* stored(user_id)).isOn)
      yield* TestClock.adjust("15 minutes")
      yield* at("security/turn-off")
      assert.strictEqual(placeOf(yield* browser.submit({ password, otp: codes[0] ?? "" })), "security?outcome=off")
    })
  )

  it.effect("refuse a session's password after 10 attempts, for 15 minutes", () =>
    Effect.gen(function* () {
      const { at, browser } = yield* verified
      yield* at("security")
      for (let n = 1; n <= 10; n++)
        assert.strictEqual((yield* browser.submit({ password: "not the password" })).status, 403)
      assert.strictEqual((yield* browser.submit({ password })).status, 429)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(placeOf(yield* browser.submit({ password })), "security/setup")
    })
  )

  it.effect(
    "is 5 wrong codes of an account in 15 minutes, in all browsers; a text that is no code does not count",
    () =>
      Effect.gen(function* () {
        const { account, code, codes, secret, user_id } = yield* guarded
        const browser = yield* halfSignedIn(account)
        const other = yield* halfSignedIn(account)
        for (let n = 1; n <= 6; n++) assert.strictEqual((yield* browser.submit({ otp: "123" })).status, 401)
        for (let n = 1; n <= 5; n++)
          assert.strictEqual(
            (yield* (n % 2 === 0 ? other : browser).submit({ otp: yield* wrongCode(secret) })).status,
            401
          )
        for (const otp of [yield* code, codes[0] ?? ""])
          for (const at of [browser, other]) {
            const page = yield* at.submit({ otp })
            assert.strictEqual(page.status, 429)
            assert.match(alertOf(page) ?? "", /minutes/)
            assertSafe(page, http)
          }
        assert.lengthOf(yield* waiting(user_id), 2)
        yield* TestClock.adjust("15 minutes")
        const later = yield* halfSignedIn(account)
        assert.strictEqual((yield* later.submit({ otp: codes[0] ?? "" })).url, `${http}/app`)
      })
  )
})
