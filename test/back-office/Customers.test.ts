import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Role } from "../../src/staff/Role.ts"
import { household } from "../dashboard/FormTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import type * as Browser from "../support/Browser.ts"
import { assertSafe } from "../support/Markup.ts"
import { lift, restrict } from "../support/Restricting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { admin, nextCode, password, signedIn } from "./BackOfficeTesting.ts"

const heading = ({ text }: Browser.Page) =>
  /<h1>([^]*?)<\/h1>/
    .exec(text)?.[1]
    ?.replace(/<[^>]*>/g, "")
    .trim()

const at = (path: string) => `${admin}/${path}`

const reasons = { reason_code: "outage", reason: "Down for a day" }

/** A customer with orders, and a person of the staff at the desk. */
const desk = Effect.fnUntraced(function* (role: Role) {
  const customer = yield* household
  const person = yield* signedIn(`${role}-${customer.user_id}@example.com`, role)
  const balance = Effect.map(
    request("GET", "/v1/wallet/balance?currency=USD", { user: customer.account.token }),
    ({ body }) => Math.round(body.balance * 100)
  )
  return { ...person, balance, customer, order_id: customer.ids["order_id"] ?? "", user_id: customer.user_id }
})

layer(TestApp.layerSandbox, { timeout: "3 minutes" })("The pages about customers", (it) => {
  it.effect("lead from an order to its customer, and show everything that the customer has", () =>
    Effect.gen(function* () {
      const { browser, customer, order_id, user_id } = yield* desk("support")
      yield* browser.open(at("customers"))
      const found = yield* browser.submit({ q: order_id })
      assert.include(found.text, `href="/admin/customers/${user_id}"`)
      assert.include(found.text, `href="/admin/orders/${order_id}"`)
      const page = yield* browser.open(at(`customers/${user_id}`))
      assert.deepStrictEqual([page.status, heading(page)], [200, customer.account.email])
      assertSafe(page, http)
      assert.include(page.text, `href="/admin/orders/${order_id}"`)
      for (const list of ["orders", "entries", "payments", "keys", "sessions", "apps", "notices"]) {
        const records = yield* browser.open(at(`customers/${user_id}/${list}`))
        assert.strictEqual(records.status, 200, list)
        assert.notInclude(records.text, "There are no", list)
      }
      const order = yield* browser.open(at(`orders/${order_id}`))
      for (const step of ["Ordered", "Delivery ended", "Ledger entry"]) assert.include(order.text, step)
      assert.strictEqual((yield* browser.open(at("customers/nobody"))).status, 404)
      assert.strictEqual((yield* browser.open(at("orders/nothing"))).status, 404)
      assert.include((yield* browser.open(at("customers?q=nothing"))).text, "No customer fits.")
    })
  )

  it.effect("credit once however often the form is sent, and ask a second person above the limit", () =>
    Effect.gen(function* () {
      const { balance, browser, user_id } = yield* desk("support")
      const before = yield* balance
      const path = at(`customers/${user_id}/credit`)
      yield* browser.open(path)
      const wrong = yield* browser.submit({ kind: "goodwill", currency: "STAR", amount: "1.5", ...reasons })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "stars without decimals")
      const form = yield* browser.open(path)
      const [, key = ""] = /name="key" value="([\w-]{36})"/.exec(form.text) ?? []
      const [, form_token = ""] =
        /name="form_token" value="(\w+)"/.exec(
          form.text.slice(form.text.indexOf(`action="/admin/customers/${user_id}/credit"`))
        ) ?? []
      const fields = { form_token, key, kind: "goodwill", currency: "USD", amount: "5,00", ...reasons }
      const booked = yield* browser.post(path, fields)
      assert.include(booked.text, "$5.00: booked.")
      assert.include((yield* browser.post(path, fields)).text, "it acted once")
      assert.strictEqual(yield* balance, before + 500)
      const other = yield* browser.post(path, { ...fields, amount: "6" })
      assert.strictEqual(other.status, 409)
      assert.include(other.text, "sent before with other content")
      const debit = yield* browser.submit({ kind: "debit", currency: "USD", amount: "1", ...reasons })
      assert.strictEqual(debit.status, 403)
      yield* browser.open(path)
      const asked = yield* browser.submit({ kind: "goodwill", currency: "USD", amount: "10.01", ...reasons })
      assert.include(asked.text, "Nothing is booked yet.")
      assert.strictEqual(yield* balance, before + 500)
    })
  )

  it.effect("credit a customer for an order from its page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { browser, order_id, user_id } = yield* desk("support")
      const order = yield* browser.open(at(`orders/${order_id}`))
      const [, link = ""] = /href="([^"]*[?]order_id=[^"]*)"/.exec(order.text) ?? []
      assert.strictEqual(link, `/admin/customers/${user_id}/credit?order_id=${order_id}`)
      yield* browser.open(`${http}${link}`)
      yield* browser.submit({ kind: "goodwill", currency: "USD", amount: "0", ...reasons })
      const booked = yield* browser.submit({ kind: "goodwill", currency: "USD", amount: "1", ...reasons })
      assert.include(booked.text, "$1.00: booked.")
      const made = yield* sql`SELECT order_id FROM wallet_adjustment WHERE user_id = ${user_id}`
      assert.deepStrictEqual(made, [{ order_id }])
    })
  )

  it.effect("show an open restriction and the way to lift it, however many newer ones have ended", () =>
    Effect.gen(function* () {
      const { browser, user_id } = yield* desk("support")
      const { id } = yield* restrict(user_id, "hold")
      for (let count = 0; count < 25; count++) {
        yield* TestClock.adjust("1 minute")
        yield* lift((yield* restrict(user_id, "hold")).id)
      }
      const page = yield* browser.open(at(`customers/${user_id}`))
      assert.include(page.text, `href="/admin/customers/${user_id}/lift/${id}"`)
      assert.strictEqual((yield* browser.open(at(`customers/${user_id}/lift/${id}`))).status, 200)
    })
  )

  it.effect("refund an order as the review says, and book nothing before the confirmation", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { balance, browser, order_id } = yield* desk("support")
      const before = yield* balance
      const path = at(`orders/${order_id}/refund`)
      yield* browser.open(path)
      const half = { kind: "amount", amount: "0.5", ...reasons }
      const review = yield* browser.submit(half)
      assert.deepStrictEqual([review.status, heading(review)], [200, "Refund this?"])
      assertSafe(review, http)
      assert.isEmpty(yield* sql`SELECT FROM order_refund WHERE order_id = ${order_id}`)
      assert.strictEqual(yield* balance, before)
      const done = yield* browser.submit({ confirmed: "yes" })
      assert.include(done.text, "$0.50: booked.")
      assert.include(done.text, "Refund by staff")
      assert.strictEqual(yield* balance, before + 50)
      yield* browser.open(path)
      const beyond = yield* browser.submit({ ...half, amount: "99999" })
      assert.deepStrictEqual([beyond.status, heading(beyond)], [409, "Refund the order"])
      assert.include(beyond.text, "Less than this amount can be returned.")
      assert.include(beyond.text, 'value="99999"')
      assert.include((yield* browser.submit({ ...half, amount: "" })).text, "Enter more than zero")
    })
  )

  it.effect("let a second person decide, with password and code", () =>
    Effect.gen(function* () {
      const { balance, browser, user_id } = yield* desk("support")
      const before = yield* balance
      for (const reason of ["The first of two", "The second of two"]) {
        yield* browser.open(at(`customers/${user_id}/credit`))
        yield* browser.submit({ kind: "goodwill", currency: "USD", amount: "20", ...reasons, reason })
      }
      const own = yield* browser.open(at("requests"))
      assert.include(own.text, "The first of two")
      assert.notInclude(own.text, "Approve<")
      const finance = yield* signedIn(`decides-${user_id}@example.com`, "finance")
      yield* TestClock.adjust("6 minutes")
      const list = yield* finance.browser.open(at("requests"))
      const row = list.text.slice(list.text.indexOf("The first of two"))
      const [, id = ""] = /name="id" value="([\w-]{36})"/.exec(row) ?? []
      const [, key = ""] = /name="key" value="([\w-]{36})"/.exec(row) ?? []
      const [, form_token = ""] = /name="form_token" value="(\w+)"/.exec(row) ?? []
      const fields = { form_token, what: "adjustment", id, decision: "approve", key }
      const ask = yield* finance.browser.post(at("requests"), fields)
      assert.deepStrictEqual([ask.status, heading(ask)], [403, "Confirm that it is you"])
      assert.strictEqual(yield* balance, before)
      const confirmed = { confirm_password: password, confirm_code: yield* nextCode(finance.secret) }
      assert.include((yield* finance.browser.submit(confirmed)).text, "$20.00: booked.")
      assert.strictEqual(yield* balance, before + 2000)
    })
  )

  it.effect("place and lift restrictions after a review, and a ban with password and code", () =>
    Effect.gen(function* () {
      const { browser, secret, user_id } = yield* desk("owner")
      const sql = yield* SqlClient.SqlClient
      const open = sql`SELECT preset FROM account_restriction WHERE user_id = ${user_id} AND lifted_at IS NULL`
      yield* TestClock.adjust("6 minutes")
      yield* browser.open(at(`customers/${user_id}/restrict`))
      const texts = { internal_reason: "Card testing", public_reason: "Please contact support." }
      const review = yield* browser.submit({ preset: "ban", reason_code: "fraud", days: "30", ...texts })
      assert.strictEqual(heading(review), "Restrict this customer?")
      assert.isEmpty(yield* open)
      const ask = yield* browser.submit({ confirmed: "yes" })
      assert.strictEqual(heading(ask), "Confirm that it is you")
      const done = yield* browser.submit({ confirm_password: password, confirm_code: yield* nextCode(secret) })
      assert.include(done.text, "The restriction is in force.")
      assert.deepStrictEqual(yield* open, [{ preset: "ban" }])
      const [, path = ""] = new RegExp(`href="(/admin/customers/${user_id}/lift/[\\w-]{36})"`).exec(done.text) ?? []
      yield* browser.open(`${http}${path}`)
      assert.strictEqual((yield* browser.submit({ reason: "x" })).status, 422)
      assert.include((yield* browser.submit({ reason: "Settled" })).text, "The restriction is lifted.")
      assert.isEmpty(yield* open)
    })
  )

  it.effect("refuse support a ban and a suspension of more than a week", () =>
    Effect.gen(function* () {
      const { browser, user_id } = yield* desk("support")
      const texts = { internal_reason: "Card testing", public_reason: "Please contact support." }
      const form = yield* browser.open(at(`customers/${user_id}/restrict`))
      assert.notInclude(form.text, 'value="ban"')
      yield* browser.submit({ preset: "suspend", reason_code: "abuse", days: "8", ...texts })
      const long = yield* browser.submit({ confirmed: "yes" })
      assert.include(long.text, "You suspend for at most 7 days.")
      yield* browser.submit({ preset: "ban", reason_code: "abuse", ...texts })
      assert.strictEqual((yield* browser.submit({ confirmed: "yes" })).status, 403)
    })
  )
})
