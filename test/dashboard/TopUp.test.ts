import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type * as Browser from "../support/Browser.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { whileTimePasses } from "../support/PassingTime.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { http } from "./PagesTesting.ts"
import { sendRaw, signedIn } from "./WalletPagesTesting.ts"

const form = "/app/wallet/top-up"
const good = { amount: "25", payment_method: "card_gateway" }

/** The id of the payment on whose page a browser is. */
const paymentAt = ({ url }: Browser.Page) => /\/app\/payments\/([\w-]+)$/.exec(url)?.[1] ?? assert.fail(url)

const depositsOf = (token: string) =>
  Effect.map(request("GET", "/v1/payments/deposits", { user: token }), ({ body }) => body)

const errorOf = ({ text }: Browser.Page, field: string) => {
  assert.match(text, new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-error"[^>]*aria-invalid="true"`))
  return new RegExp(`id="${field}-error">([^<]*)<`).exec(text)?.[1] ?? ""
}

const wrongAmounts = [
  ["ten", "with at most two decimals"],
  ["-5", "with at most two decimals"],
  ["0", "from $1.00 to $10,000.00"],
  ["0.99", "from $1.00 to $10,000.00"],
  ["10000.01", "from $1.00 to $10,000.00"],
  ["99999999999999999999999999", "from $1.00 to $10,000.00"],
  ["12.3456", "with at most two decimals"],
  ["12.345", "between the thousands"],
  ["1e3", "with at most two decimals"],
  ["$25", "with at most two decimals"],
  ["1,000", "between the thousands"],
  ["1.000", "between the thousands"],
  ["1.000,50", "between the thousands"],
  ["1,000.50", "between the thousands"]
] as const

layer(TestApp.layer())("topping up in the dashboard", (it) => {
  it.effect("asks the gateway to save the card only when the box is ticked for a card payment", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { browser } = yield* signedIn
      for (const [payment_method, save_card, isSaved] of [
        ["card_gateway", undefined, false],
        ["card_gateway", "on", true],
        ["crypto_gateway", "on", false]
      ] as const) {
        const page = yield* browser.open(`${http}${form}`)
        assert.include(page.text, "Save this card for automatic top-up")
        const id = paymentAt(yield* browser.submit({ ...good, payment_method, ...(save_card && { save_card }) }))
        assert.strictEqual(gateways.saving.has(id), isSaved)
      }
      const wrong = yield* Effect.andThen(
        browser.open(`${http}${form}`),
        browser.submit({ ...good, amount: "ten", save_card: "on" })
      )
      assert.match(wrong.text, /name="save_card"\s+value="on"\s+checked/)
    })
  )

  it.effect("leads from the menu to the gateway, and shows the money once the gateway has reported it", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { browser, open } = yield* signedIn
      const wallet = yield* open("wallet")
      assert.include(wallet.text, `href="${form}"`)
      assert.include(wallet.text, "Nothing has been paid in or out yet.")
      yield* browser.open(`${http}${form}`)
      const payment = yield* browser.submit(good)
      const id = paymentAt(payment)
      assert.deepStrictEqual(
        payment.redirects.map(({ status }) => status),
        [303]
      )
      assert.strictEqual(payment.headers["refresh"], `0; url=https://gateway.test/${id}`)
      assert.include(payment.text, `href="https://gateway.test/${id}"`)
      const waiting = yield* open("wallet")
      assert.include(waiting.text, "These deposits wait for your payment")
      assert.include(waiting.text, `href="/app/payments/${id}"`)
      assert.include(waiting.text, "not paid yet")
      const { body, headers, payment_method } = gateways.pay(id)
      yield* request("POST", `/v1/payments/callbacks/${payment_method}`, {
        headers: { ...headers, "content-type": "application/json" },
        body: new TextDecoder().decode(body)
      })
      const paid = yield* open("wallet")
      assert.notInclude(paid.text, "These deposits wait")
      assert.match(paid.text, /<p class="figure">\$25\.00<\/p>/)
      assert.include((yield* open(`payments/${id}`)).text, `<a class="button" href="/app/wallet">`)
    })
  )

  it.effect("does not lead on those who come back from the gateway, or who come later", () =>
    Effect.gen(function* () {
      const { browser, open } = yield* signedIn
      yield* browser.open(`${http}${form}`)
      const id = paymentAt(yield* browser.submit(good))
      for (const site of ["cross-site", "none"])
        assert.strictEqual((yield* open(`payments/${id}`, { "sec-fetch-site": site })).headers["refresh"], "5")
      const again = { "sec-fetch-site": "same-origin" }
      assert.match((yield* open(`payments/${id}`, again)).headers["refresh"] ?? "", /^0; url=/)
      yield* TestClock.adjust("11 seconds")
      const later = yield* open(`payments/${id}`, again)
      assert.strictEqual(later.headers["refresh"], "5")
      assert.include(later.text, "Waiting for the payment")
    })
  )

  it.effect("says at the field what is wrong with an amount, and keeps it", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* signedIn
      yield* browser.open(`${http}${form}`)
      for (const [amount, said] of wrongAmounts) {
        const page = yield* browser.submit({ ...good, amount })
        assert.strictEqual(page.status, 422, amount)
        assert.include(errorOf(page, "amount"), said, amount)
        assert.include(page.text, `value="${amount}"`)
        assert.include(page.text, "<title>Error: ")
        assert.match(page.text, /value="card_gateway"\s+checked/)
      }
      assert.strictEqual((yield* depositsOf(token)).total, 0)
      for (const amount of [" 12.5 ", "12,50", "1000"]) {
        yield* browser.open(`${http}${form}`)
        assert.strictEqual((yield* browser.submit({ ...good, amount })).status, 200, amount)
      }
      assert.deepStrictEqual(
        (yield* depositsOf(token)).deposits.map(({ amount }: any) => amount),
        [1000, 12.5, 12.5]
      )
    })
  )

  it.effect("takes whole stars with the method that pays in stars, and no mixture of the two", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* signedIn
      const page = yield* browser.open(`${http}${form}?currency=STAR&amount=150`)
      assert.include(page.text, `value="150"`)
      assert.notInclude(page.text, `value="card_gateway"`)
      const stars = { amount: "150", payment_method: "messenger_stars" }
      const half = yield* browser.submit({ ...stars, amount: "1.5" })
      assert.include(errorOf(half, "amount"), "whole number")
      const mixed = yield* browser.submit({ ...stars, payment_method: "card_gateway" })
      assert.strictEqual(mixed.status, 422)
      assert.include(errorOf(mixed, "payment_method"), "Choose one of these payment methods")
      yield* browser.submit(stars)
      const { deposits } = yield* depositsOf(token)
      assert.deepStrictEqual(
        deposits.map(({ amount, currency }: any) => [amount, currency]),
        [[150, "STAR"]]
      )
    })
  )

  it.effect("refuses a form without its token, of another person or of another page, and keeps what was typed", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* signedIn
      const other = yield* signedIn
      const foreign = yield* other.browser.open(`${http}${form}`)
      yield* browser.open(`${http}${form}`)
      const tokens = [null, "", "0".repeat(64), foreign.forms.at(-1)?.values["form_token"] ?? null]
      for (const form_token of tokens) {
        const page = yield* browser.submit({ ...good, amount: "31", form_token })
        assert.strictEqual(page.status, 403)
        assert.include(page.text, `value="31"`)
      }
      const elsewhere = yield* browser.submit(good, { headers: { "sec-fetch-site": "cross-site" } })
      assert.strictEqual(elsewhere.status, 403)
      assert.strictEqual((yield* depositsOf(token)).total, 0)
    })
  )

  it.effect("refuses missing and doubled fields, and shows HTML as text", () =>
    Effect.gen(function* () {
      const person = yield* signedIn
      const { browser, token } = person
      const page = yield* browser.open(`${http}${form}`)
      for (const missing of ["amount", "currency", "payment_method", "nonce"]) {
        const { status, text } = yield* browser.submit({ ...good, amount: "31", [missing]: null })
        assert.strictEqual(status, 422, missing)
        if (missing !== "amount") assert.include(text, `value="31"`)
      }
      const sent = { ...page.forms.find(({ action }) => action.endsWith(form))?.values, ...good }
      for (const [name, value] of Object.entries(sent)) {
        const body = `${new URLSearchParams(sent)}&${new URLSearchParams({ [name]: value })}`
        const { status } = yield* sendRaw(person, form, body)
        // The first token counts, as everywhere.
        assert.strictEqual(status, name === "form_token" ? 200 : 422, name)
      }
      const hostile = `"><script>alert(1)</script>`
      yield* browser.open(`${http}${form}`)
      const shown = yield* browser.submit({ ...good, amount: hostile, payment_method: hostile })
      assert.strictEqual(shown.status, 422)
      assert.notInclude(shown.text, "<script>alert")
      assert.include(shown.text, "&quot;&gt;&lt;script&gt;alert(1)")
      const linked = yield* browser.open(
        `${http}${form}?${new URLSearchParams({ amount: hostile, currency: hostile })}`
      )
      assert.notInclude(linked.text, "<script>alert")
      const huge = yield* browser.submit({ ...good, amount: "9".repeat(50_000) })
      assert.strictEqual(huge.status, 422)
      assert.isBelow(huge.text.length, 25_000)
      assert.isAtMost((yield* depositsOf(token)).total, 1)
    })
  )

  it.effect("requests one payment for a form that is sent twice, and none with other values", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* signedIn
      const page = yield* browser.open(`${http}${form}`)
      const { nonce = "", form_token = "" } = page.forms.find(({ action }) => action.endsWith(form))?.values ?? {}
      const send = browser.submit({ ...good, nonce })
      const [one, other] = yield* whileTimePasses(Effect.all([send, send], { concurrency: "unbounded" }))
      assert.strictEqual(paymentAt(one), paymentAt(other))
      yield* browser.open(`${http}${form}`)
      const changed = yield* browser.submit({ ...good, amount: "50", nonce, form_token })
      assert.strictEqual(changed.status, 409)
      assert.include(changed.text, "This form was sent before with other entries")
      assert.strictEqual((yield* depositsOf(token)).total, 1)
      assert.strictEqual((yield* browser.submit({ ...good, amount: "50" })).status, 200)
      assert.strictEqual((yield* depositsOf(token)).total, 2)
    })
  )

  it.effect("says that a method does not work or takes more, and requests the payment when it does", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const { browser } = yield* signedIn
      const page = yield* browser.open(`${http}${form}`)
      const { nonce = "" } = page.forms.find(({ action }) => action.endsWith(form))?.values ?? {}
      gateways.setDown(true)
      const down = yield* Effect.ensuring(
        browser.submit({ ...good, nonce }),
        Effect.sync(() => gateways.setDown(false))
      )
      assert.strictEqual(down.status, 503)
      assert.include(down.text, "The payment service does not answer at the moment. Nothing was charged.")
      assert.include(down.text, `value="25"`)
      gateways.setMinimum(30_000_000n)
      const low = yield* Effect.ensuring(
        browser.submit({ ...good, nonce }),
        Effect.sync(() => gateways.setMinimum(0n))
      )
      assert.strictEqual(low.status, 422)
      assert.include(errorOf(low, "amount"), "the smallest amount is $30.00")
      assert.include(low.text, "From $30.00")
      paymentAt(yield* browser.submit({ ...good, nonce }))
    })
  )

  it.effect("stops at 20 open payments, in the language of the person", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* signedIn
      for (let made = 0; made < 20; made++)
        yield* request("POST", "/v1/payments/deposits", {
          user: token,
          body: { amount: 5, currency: "USD", payment_method: "card_gateway" }
        })
      const headers = { "accept-language": "de" }
      const page = yield* browser.open(`${http}${form}`, { headers })
      assert.include(page.text, "Guthaben aufladen")
      const refused = yield* browser.submit(good, { headers })
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "Zu viele Ihrer Zahlungen sind offen.")
      const thousands = yield* browser.submit({ ...good, amount: "1.000,50" }, { headers })
      assert.include(errorOf(thousands, "amount"), "zwischen den Tausendern")
    })
  )
})
