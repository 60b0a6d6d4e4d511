import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { faultsOf, hostile } from "../dashboard/DeskTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { dollar } from "../wallet/adjustments/MoneyTesting.ts"
import { asked, verify } from "../wallet/payouts/PayoutTesting.ts"
import { admin, nextCode, password, signedIn } from "./BackOfficeTesting.ts"

/** A customer who asked for 40 of 100 dollars. */
const requested = Effect.gen(function* () {
  const user = yield* newUser
  yield* verify(user)
  yield* fund(user, 100n * dollar)
  const { id } = yield* Payouts.use((payouts) => payouts.request(asked(user, { destination: hostile })))
  const balance = Effect.map(
    Wallets.use((wallets) => wallets.balance(user, "USD")),
    (wallet) => wallet.balance
  )
  return { at: `${admin}/payouts/${id}`, balance, id }
})

layer(TestApp.layer())("The pages of withdrawals", (it) => {
  it.effect("list what waits, and settle it with password and code", () =>
    Effect.gen(function* () {
      const { at, balance, id } = yield* requested
      const { browser, secret } = yield* signedIn(`payouts-${randomUUID()}@example.com`, "finance")
      const list = yield* browser.open(`${admin}/payouts`)
      assertSafe(list, http)
      assert.include(list.text, `/admin/payouts/${id}"`)
      const one = yield* browser.open(at)
      assertSafe(one, http)
      assert.include(one.text, `href="/admin/payouts/${id}/approve"`)
      assert.notInclude(one.text, `href="/admin/payouts/${id}/sent"`)
      yield* TestClock.adjust("6 minutes")
      yield* browser.open(`${at}/approve`)
      const ask = yield* browser.submit({ reason: "Checked the payments" })
      assert.strictEqual(ask.status, 403)
      const confirmed = { confirm_password: password, confirm_code: yield* nextCode(secret) }
      const approved = yield* browser.submit(confirmed)
      assert.strictEqual(approved.url, `${at}?done=approve`)
      assert.include(approved.text, "Approved. Send the money, then say by which transfer.")
      const form = yield* browser.open(`${at}/sent`)
      assertSafe(form, http)
      const wrong = yield* browser.submit({ reference: "", reason: "x" })
      assert.deepStrictEqual([wrong.status, Object.keys(faultsOf(wrong))], [422, ["reason", "reference"]])
      assertSafe(wrong, http)
      const sent = yield* browser.submit({ reference: "SEPA 4711", reason: "Sent by bank" })
      assert.include(sent.text, "The customer is told that the money is sent.")
      assert.include(sent.text, "SEPA 4711")
      assert.strictEqual(yield* balance, 60n * dollar)
      yield* browser.open(`${at}/decline`)
      const late = yield* browser.submit({ customer_text: "Too late", reason: "Too late" })
      assert.strictEqual(late.status, 409)
    })
  )

  it.effect("decline with a reason for the customer, and show support no forms", () =>
    Effect.gen(function* () {
      const { at, balance } = yield* requested
      const { browser } = yield* signedIn(`payouts-${randomUUID()}@example.com`, "finance")
      const support = yield* signedIn(`payouts-${randomUUID()}@example.com`, "support")
      assert.notInclude((yield* support.browser.open(at)).text, "/decline")
      assert.strictEqual((yield* support.browser.open(`${at}/decline`)).status, 403)
      yield* browser.open(`${at}/decline`)
      const done = yield* browser.submit({ customer_text: "Please name the owner.", reason: "No owner" })
      assert.include(done.text, "The money is in the wallet again")
      assert.include(done.text, "Please name the owner.")
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.strictEqual((yield* browser.open(`${admin}/payouts/${randomUUID()}`)).status, 404)
      assert.strictEqual((yield* browser.open(`${admin}/payouts/nothing`)).status, 404)
    })
  )

  it.effect("have a page of disputes beside them", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn(`payouts-${randomUUID()}@example.com`, "viewer")
      const page = yield* browser.open(`${admin}/disputes`)
      assertSafe(page, http)
      assert.include(page.text, "No payment was disputed.")
    })
  )
})
