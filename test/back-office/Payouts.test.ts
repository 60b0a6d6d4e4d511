import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
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

/** Withdrawals and disputes of other customers that wait, the oldest first: their ids. */
const waiting = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const ids = Array.from({ length: count }, () => randomUUID())
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      for (const [at, id] of ids.entries()) {
        const created_at = new Date(at * 1000 - 86_400_000)
        const money = { user_id: id, currency: "USD", amount: 25n * dollar, created_at }
        const charge = { ...money, payment_method: "card_gateway", charge_id: `ch_${id}` }
        yield* sql`INSERT INTO payout ${sql.insert({
          ...money,
          id,
          destination: "Somewhere",
          status: "requested",
          withdrawal_id: randomUUID()
        })}`
        yield* sql`INSERT INTO payment_charge ${sql.insert({
          ...charge,
          payment_intent_id: randomUUID(),
          transaction_id: randomUUID()
        })}`
        yield* sql`INSERT INTO payment_reversal ${sql.insert({
          ...charge,
          reversal_id: `du_${id}`,
          kind: "dispute",
          status: "taken",
          debited: 0,
          dispute_state: "needs_answer",
          reason: "fraudulent",
          updated_at: created_at
        })}`
      }
    })
  )
  return ids
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
      assert.include(sent.text, "Marked as sent. The customer was notified.")
      assert.include(sent.text, "SEPA 4711")
      assert.strictEqual(yield* balance, 60n * dollar)
      yield* browser.open(`${at}/decline`)
      const late = yield* browser.submit({ customer_text: "Too late", reason: "Too late" })
      assert.strictEqual(late.status, 409)
    })
  )

  it.effect("say stop while a restriction is open, and offer only to decline", () =>
    Effect.gen(function* () {
      const { at, id } = yield* requested
      const { browser } = yield* signedIn(`payouts-${randomUUID()}@example.com`, "owner")
      const sql = yield* SqlClient.SqlClient
      yield* browser.open(`${at}/approve`)
      yield* browser.submit({ reason: "Checked the payments" })
      assert.include((yield* browser.open(at)).text, `href="/admin/payouts/${id}/sent"`)
      yield* sql`UPDATE wallet SET spending_blocked = true WHERE user_id = (SELECT user_id FROM payout WHERE id = ${id})`
      const stopped = yield* browser.open(at)
      assert.include(stopped.text, "Stop: a restriction of the customer is open.")
      assert.include(stopped.text, "If the money has left already")
      assert.notInclude(stopped.text, `href="/admin/payouts/${id}/sent"`)
      assert.include(stopped.text, `href="/admin/payouts/${id}/decline"`)
      assert.include((yield* browser.open(`${admin}/todo?kind=payout`)).text, "approved, stop: restriction")
      const form = yield* browser.open(`${at}/sent`)
      assert.include(form.text, "Stop: a restriction of the customer is open.")
      const refused = yield* browser.submit({ reference: "SEPA 4711", reason: "Sent by bank" })
      assert.strictEqual(refused.status, 409)
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

  it.effect("reach every withdrawal and every dispute that waits, the oldest first", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn(`payouts-${randomUUID()}@example.com`, "viewer")
      const none = yield* browser.open(`${admin}/disputes`)
      assertSafe(none, http)
      assert.include(none.text, "No payment was disputed.")
      const ids = yield* waiting(60)
      const [first = "", last = ""] = [ids[0], ids.at(-1)]
      for (const [path, of] of [
        ["payouts", (id: string) => `href="/admin/payouts/${id}"`],
        ["disputes", (id: string) => `href="/admin/disputes/du_${id}"`]
      ] as const) {
        const page = yield* browser.open(`${admin}/${path}`)
        assertSafe(page, http)
        const part = page.text.slice(0, page.text.indexOf('id="newest"'))
        assert.isTrue(part.includes(of(first)) && !part.includes(of(last)), path)
        const [, next = ""] = new RegExp(`href="(/admin/${path}[?]waiting=[^"]*)"`).exec(page.text) ?? []
        const following = yield* browser.open(`${http}${next}`)
        const rest = following.text.slice(0, following.text.indexOf('id="newest"'))
        assert.isTrue(rest.includes(of(last)) && !rest.includes(of(first)), path)
      }
      const dispute = yield* browser.open(`${admin}/disputes/du_${first}`)
      assertSafe(dispute, http)
      for (const text of ["fraudulent", "$25.00", `du_${first}`]) assert.include(dispute.text, text)
      assert.strictEqual((yield* browser.open(`${admin}/disputes/nothing`)).status, 404)
      const todo = yield* browser.open(`${admin}/todo?kind=dispute`)
      assert.include(todo.text, `href="/admin/disputes/du_${first}"`)
      assert.include((yield* browser.open(`${admin}/todo?kind=payout`)).text, `href="/admin/payouts/${first}"`)
    })
  )
})
