import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { codeOf } from "../accounts/second-factor/SecondFactorTesting.ts"
import { fund } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { dollar } from "../wallet/adjustments/MoneyTesting.ts"
import { faultsOf, hostile, noticeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http, password } from "./PagesTesting.ts"
import { guarded, verified } from "./SecurityTesting.ts"

const path = "wallet/payout"
const form = { amount: "40", destination: "IBAN DE02 1203 0000 0000 2020 51", password }

const balanceOf = (user: UserId) =>
  Effect.map(
    Wallets.use((wallets) => wallets.balance(user, "USD")),
    ({ balance }) => balance
  )

layer(TestApp.layer())("The page of withdrawals", (it) => {
  it.effect("takes a request with the password, shows its state, and cancels it", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* verified
      yield* fund(user_id, 100n * dollar)
      assert.include((yield* at("wallet")).text, `href="/app/${path}"`)
      const page = yield* at(path)
      assertSafe(page, http)
      assert.include(wordsOf(page), "$10.00 to $100.00")
      const done = yield* browser.submit({ ...form, destination: hostile })
      assert.strictEqual(done.url, `${http}/app/${path}?outcome=requested`)
      assertSafe(done, http)
      assert.strictEqual(noticeOf(done), "We have your request.")
      assert.include(wordsOf(done), "being checked")
      assert.notInclude(done.text, 'name="amount"', "one open request at a time")
      assert.strictEqual(yield* balanceOf(user_id), 60n * dollar)
      assert.include(wordsOf(yield* at("wallet")), "A withdrawal of $40.00 is open.")
      const open = yield* at(path)
      const action = open.forms.find((one) => one.action.endsWith("/cancel"))?.action ?? ""
      const cancelled = yield* browser.submit({}, { action })
      assert.strictEqual(noticeOf(cancelled), "The request is cancelled. The money is in your wallet.")
      assert.strictEqual(yield* balanceOf(user_id), 100n * dollar)
    })
  )

  it.effect("says what is wrong with each field, keeps what was typed but not the password, and moves nothing", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* verified
      yield* fund(user_id, 100n * dollar)
      for (const [wrongly, status, name] of [
        [{ amount: "" }, 422, "amount"],
        [{ amount: "9.99" }, 422, "amount"],
        [{ amount: "10.001" }, 422, "amount"],
        [{ amount: "100.01" }, 409, "amount"],
        [{ amount: "1,000" }, 422, "amount"],
        [{ destination: "  " }, 422, "destination"],
        [{ destination: "x".repeat(301) }, 422, "destination"],
        [{ password: "not the password" }, 403, "password"]
      ] as const) {
        yield* at(path)
        const page = yield* browser.submit({ ...form, ...wrongly })
        const sent = JSON.stringify(wrongly).slice(0, 60)
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [status, [name]], sent)
        assertSafe(page, http)
        assert.notInclude(page.text, password)
      }
      assert.strictEqual(yield* balanceOf(user_id), 100n * dollar)
    })
  )

  it.effect("needs a code while the second factor is on, which counts once", () =>
    Effect.gen(function* () {
      const { at, browser, code, secret, user_id } = yield* guarded
      yield* fund(user_id, 100n * dollar)
      yield* at(path)
      const without = yield* browser.submit({ ...form, otp: "" })
      assert.deepStrictEqual([without.status, Object.keys(faultsOf(without))], [403, ["otp"]])
      yield* at(path)
      const wrong = yield* browser.submit({ ...form, otp: yield* codeOf(secret, -1) })
      assert.deepStrictEqual([wrong.status, Object.keys(faultsOf(wrong))], [403, ["otp"]])
      assert.strictEqual(yield* balanceOf(user_id), 100n * dollar)
      yield* at(path)
      const done = yield* browser.submit({ ...form, otp: yield* code })
      assert.strictEqual(noticeOf(done), "We have your request.")
      assert.strictEqual(yield* balanceOf(user_id), 60n * dollar)
    })
  )

  it.effect("offers nothing without a verified email, and to a stopped account no request passes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const unverified = yield* signedIn
      yield* fund(unverified.user_id, 100n * dollar)
      assert.include(wordsOf(yield* unverified.at(path)), "Verify your email before you withdraw money")
      const { at, browser, user_id } = yield* verified
      assert.include(wordsOf(yield* at(path)), "You can withdraw money from $10.00 on.")
      yield* fund(user_id, 100n * dollar)
      yield* at(path)
      yield* sql`UPDATE wallet SET spending_blocked = true WHERE user_id = ${user_id}`
      const page = yield* browser.submit(form)
      assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [403, [""]])
      assert.strictEqual(yield* balanceOf(user_id), 100n * dollar)
    })
  )

  it.effect("keeps an account with an open request from being deleted", () =>
    Effect.gen(function* () {
      const { at, browser, user_id } = yield* verified
      yield* fund(user_id, 100n * dollar)
      yield* at(path)
      yield* browser.submit(form)
      yield* at("account/deletion")
      const page = yield* browser.submit({ password })
      assert.strictEqual(page.status, 409)
      assert.include(wordsOf(page), "A withdrawal of your wallet is open.")
      const open = yield* at(path)
      yield* browser.submit({}, { action: open.forms.find(({ action }) => action.endsWith("/cancel"))?.action ?? "" })
      yield* at("account/deletion")
      assert.strictEqual((yield* browser.submit({ password })).status, 200)
    })
  )
})

layer(TestApp.layer({ PAYOUTS: "false" }))("Without withdrawals", (it) => {
  it.effect("the wallet has no link, and the page says so", () =>
    Effect.gen(function* () {
      const { at, post, user_id } = yield* verified
      yield* fund(user_id, 100n * dollar)
      assert.notInclude((yield* at("wallet")).text, path)
      assert.include(wordsOf(yield* at(path)), "This service does not pay money of the wallet out.")
      const nonce = "0198c0de-0000-7000-8000-000000000001"
      assert.strictEqual((yield* post(path, { ...form, nonce })).status, 403)
    })
  )
})
