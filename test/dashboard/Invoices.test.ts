import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type * as Browser from "../support/Browser.ts"
import { fund } from "../support/Fixtures.ts"
import { assertSafe } from "../support/Markup.ts"
import { paidDeposit, takeBack } from "../support/PaidDeposit.ts"
import * as TestApp from "../support/TestApp.ts"
import { escaped, faultsOf, hostile, noticeOf, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"
import { sendRaw, signedIn } from "./WalletPagesTesting.ts"

const form = "/app/wallet/billing"

/** The numbers of the invoices that a page links to. */
const numbersIn = ({ text }: Browser.Page) =>
  [...text.matchAll(/href="\/app\/wallet\/invoices\/([^"]+)"/g)].map(([, number = ""]) => number)

const payer = Effect.gen(function* () {
  const person = yield* signedIn
  const deposit = yield* paidDeposit(person.token)
  const saved = Effect.map(
    SqlClient.SqlClient.use((sql) => sql`SELECT name, address FROM billing_details WHERE user_id = ${person.user_id}`),
    ([details]) => details
  )
  const fill = (fields: Readonly<Record<string, string | null | ReadonlyArray<string>>>) =>
    Effect.andThen(person.open("wallet/billing"), person.browser.submit(fields as Record<string, string>))
  return { ...person, deposit, saved, fill }
})

layer(TestApp.layer())("The invoices in the dashboard", (it) => {
  it.effect("are listed, and shown one by one with everything that an invoice has", () =>
    Effect.gen(function* () {
      const { deposit, email, fill, open, token } = yield* payer
      assert.include((yield* open("wallet")).text, `href="/app/wallet/invoices"`)
      // Before the payment, because an invoice that exists does not change.
      assert.include((yield* open("wallet/top-up")).text, `href="${form}"`)
      assert.strictEqual(
        noticeOf(yield* fill({ name: "Ada Ltd", address: "1 Square\r\nLondon" })),
        "The billing address is saved."
      )
      const list = yield* open("wallet/invoices")
      assertSafe(list, http)
      const [number = ""] = numbersIn(list)
      assert.match(number, /^1970-\d{6}$/)
      assert.include(wordsOf(list), `${number} Card 1 January 1970 $25.00`)
      yield* paidDeposit(token, { amount: 500, currency: "STAR", payment_method: "messenger_stars" })
      const page = yield* open(`wallet/invoices/${number}`)
      assertSafe(page, http)
      assert.include(page.text, `<title>Receipt ${number}`)
      for (const said of [
        `Receipt ${number}`,
        `Number ${number} Invoice date 1 January 1970 Paid on 1 January 1970 Payment method Card`,
        "Seller Proxy Rental Service",
        `Bill to Ada Ltd 1 Square London ${email}`,
        "Wallet top-up 1 $25.00 $25.00",
        "Total $25.00"
      ])
        assert.include(wordsOf(page), said)
      assert.notInclude(page.text, "taken back")
      yield* takeBack(deposit.payment_intent_id, { amount: 10_000_000n })
      assert.include(wordsOf(yield* open(`wallet/invoices/${number}`)), "The payment service took back $10.00 of this")
      assert.include(wordsOf(yield* open("wallet/invoices")), `${number} $10.00 taken back`)
      assert.include(wordsOf(yield* open("wallet/invoices")), "500 stars")
      const file = yield* open(`wallet/invoices/${number}/file.pdf`)
      assert.deepStrictEqual(
        [file.headers["content-type"], file.headers["content-disposition"]],
        ["application/pdf", `attachment; filename="${number}.pdf"`]
      )
      assert.isTrue(file.text.startsWith("%PDF-"))
    })
  )

  it.effect("are linked from the transactions that have one", () =>
    Effect.gen(function* () {
      const { deposit, open, user_id } = yield* payer
      const link = `wallet/transactions/${deposit.id}/invoice`
      const wallet = yield* open("wallet")
      assert.strictEqual(wallet.text.split(`href="/app/${link}"`).length, 2)
      const page = yield* open(link)
      assert.match(page.url, new RegExp(`^${http}/app/wallet/invoices/1970-\\d{6}$`))
      assert.strictEqual((yield* open(link)).url, page.url)
      // A credit without a payment has none.
      const credited = yield* fund(user_id, 1_000_000n)
      assert.strictEqual((yield* open(`wallet/transactions/${credited}/invoice`)).status, 404)
      const stranger = yield* signedIn
      assert.strictEqual((yield* stranger.open(link)).status, 404)
      assert.strictEqual((yield* open("wallet/transactions/none/invoice")).status, 404)
    })
  )

  it.effect("of other people look like unknown ones", () =>
    Effect.gen(function* () {
      const owner = yield* payer
      const stranger = yield* signedIn
      const [number = ""] = numbersIn(yield* owner.open("wallet/invoices"))
      for (const one of [
        `${number}/file.pdf`,
        number,
        "1970-999999",
        "TEST-1970-000001",
        "none",
        "%00",
        "1".repeat(3_000)
      ]) {
        const page = yield* stranger.open(`wallet/invoices/${one}`)
        assert.strictEqual(page.status, 404, one)
        assert.notInclude(page.text, "$25.00")
      }
      assert.include((yield* stranger.open(`wallet/invoices/${number}`)).text, "You have no such invoice.")
      assert.include((yield* stranger.open("wallet/invoices")).text, "There are no invoices yet.")
    })
  )

  it.effect("show 25 at a time", () =>
    Effect.gen(function* () {
      const { open, token } = yield* signedIn
      for (let count = 0; count < 19; count++) yield* paidDeposit(token)
      assert.lengthOf(numbersIn(yield* open("wallet/invoices")), 19)
      for (let count = 0; count < 7; count++) yield* paidDeposit(token)
      const page = yield* open("wallet/invoices")
      assert.lengthOf(numbersIn(page), 25)
      assert.include(page.text, `href="/app/wallet/invoices?offset=25"`)
      assert.isBelow(page.text.length, 60_000)
      assert.lengthOf(numbersIn(yield* open("wallet/invoices?offset=25")), 1)
      assert.strictEqual((yield* open("wallet/invoices?offset=50")).url, `${http}/app/wallet/invoices`)
    })
  )

  it.effect("speak German", () =>
    Effect.gen(function* () {
      const { open } = yield* payer
      const headers = { "accept-language": "de" }
      const list = yield* open("wallet/invoices", headers)
      const page = yield* open(`wallet/invoices/${numbersIn(list)[0]}`, headers)
      for (const said of ["Rechnungsdatum", "Rechnung an", "Aufladung des Guthabens", "25,00\u00a0$"])
        assert.include(page.text, said)
      assert.include((yield* open("wallet/billing", headers)).text, "Rechnungsadresse")
    })
  )
})

layer(TestApp.layer())("The billing address", (it) => {
  it.effect("is kept, shown again, and removed when its fields are empty", () =>
    Effect.gen(function* () {
      const { fill, open, saved } = yield* payer
      yield* fill({ name: "  Ada   Ltd ", address: "\r\n1 Square\r\n\r\nLondon \r\n" })
      assert.deepStrictEqual(yield* saved, { name: "Ada Ltd", address: "1 Square\n\nLondon" })
      const page = yield* open("wallet/billing")
      assertSafe(page, http)
      assert.include(page.text, `value="Ada Ltd"`)
      assert.include(page.text, ">\n1 Square\n\nLondon</textarea>")
      yield* fill({ name: " ", address: "2 Road" })
      assert.deepStrictEqual(yield* saved, { name: null, address: "2 Road" })
      yield* fill({ name: "", address: "" })
      assert.isUndefined(yield* saved)
      yield* fill({ name: "Ada Ltd", address: "2 Road" })
      yield* fill({ name: null, address: "2 Road" })
      assert.deepStrictEqual(yield* saved, { name: null, address: "2 Road" })
    })
  )

  it.effect("has a tax number and a country, which only a business has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { fill, open, user_id } = yield* payer
      const business = { kind: "business", name: "Ada SARL", address: "", country: "FR", tax_number: " FR40303265045 " }
      yield* fill(business)
      const page = yield* open("wallet/billing")
      assertSafe(page, http)
      assert.match(page.text, /<option value="business" +selected>/)
      assert.match(page.text, /<option value="FR" +selected>/)
      assert.include(page.text, `value="FR40303265045"`)
      for (const [wrong, name] of [
        [{ ...business, kind: "private" }, "tax_number"],
        [{ ...business, tax_number: "1".repeat(41) }, "tax_number"],
        [{ ...business, country: "UK" }, "country"],
        [{ ...business, kind: "robot" }, "kind"]
      ] as const) {
        const refused = yield* fill(wrong)
        assert.deepStrictEqual([refused.status, Object.keys(faultsOf(refused))], [422, [name]])
      }
      const [invoice] = numbersIn(yield* open("wallet/invoices"))
      assert.include(wordsOf(yield* open(`wallet/invoices/${invoice}`)), "Bill to Ada SARL FR FR40303265045")
      yield* fill({ kind: "private", name: "Ada", address: "", country: "", tax_number: "" })
      const details =
        yield* sql`SELECT is_business, country, tax_number FROM billing_details WHERE user_id = ${user_id}`
      assert.deepStrictEqual(details, [{ is_business: false, country: null, tax_number: null }])
    })
  )

  it.effect("is text on every page, and does not change an invoice that exists", () =>
    Effect.gen(function* () {
      const { fill, open, token } = yield* payer
      yield* fill({ name: hostile, address: hostile })
      const [number = ""] = numbersIn(yield* open("wallet/invoices"))
      yield* fill({ name: "Other", address: "Elsewhere" })
      const page = yield* open(`wallet/invoices/${number}`)
      assertSafe(page, http)
      assert.strictEqual(page.text.split(escaped).length, 3)
      assert.notInclude(page.text, "Elsewhere")
      yield* fill({ name: hostile, address: "" })
      assert.include((yield* open("wallet/billing")).text, `value="${escaped}"`)
      yield* paidDeposit(token)
      assert.lengthOf(numbersIn(yield* open("wallet/invoices")), 2)
    })
  )

  it.effect("says at the field what is wrong, keeps what was typed, and changes nothing", () =>
    Effect.gen(function* () {
      const { fill, saved } = yield* payer
      yield* fill({ name: "Ada", address: "Here" })
      for (const [wrong, name, typed] of [
        [{ name: "x".repeat(201), address: "There" }, "name", "There"],
        [{ name: "Bob", address: "ü".repeat(501) }, "address", "Bob"],
        [{ name: "a\u0000b", address: "There" }, "name", "There"],
        [{ name: ["Bob", "Eve"], address: "There" }, "name", "There"],
        [{ name: "Bob", address: ["Here", "There"] }, "address", "Bob"]
      ] as const) {
        const page = yield* fill(wrong)
        assert.strictEqual(page.status, 422)
        assert.deepStrictEqual(Object.keys(faultsOf(page)), [name])
        assert.include(page.text, typed)
        assertSafe(page, http)
      }
      yield* fill({ name: "x".repeat(200), address: "\u{1f600}".repeat(500) })
      assert.deepStrictEqual(yield* saved, { name: "x".repeat(200), address: "\u{1f600}".repeat(500) })
    })
  )

  it.effect("needs the token of its form, and refuses a large body", () =>
    Effect.gen(function* () {
      const person = yield* payer
      const { fill, saved } = person
      for (const form_token of [null, "0".repeat(64), "stale"]) {
        const page = yield* fill({ name: "Bob", address: "There", form_token })
        assert.deepStrictEqual([page.status, Object.keys(faultsOf(page))], [403, [""]])
        assert.include(page.text, `value="Bob"`)
      }
      assert.strictEqual((yield* fill({ name: "Bob", address: "x".repeat(100_000) })).status, 413)
      assert.strictEqual((yield* sendRaw(person, form, "name=Bob&address=There")).status, 403)
      assert.isUndefined(yield* saved)
      person.browser.cookies.delete("session")
      assert.include((yield* person.open("wallet/billing")).url, "/app/sign-in")
    })
  )
})
