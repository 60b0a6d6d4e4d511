import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { noDetails } from "../../src/wallet/invoices/BillingDetails.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { newPerson } from "../contract/ContractTesting.ts"
import { escaped, hostile } from "../dashboard/DeskTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import { paidDeposit } from "../support/PaidDeposit.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

layer(TestApp.layer())("The pages of documents", (it) => {
  it.effect("find an invoice, show it as its customer sees it, and issue it again", () =>
    Effect.gen(function* () {
      const person = yield* newPerson
      yield* Invoices.use((invoices) =>
        invoices.setBillingDetails(person.id as never, { ...noDetails, name: hostile, address: "1 Road" })
      )
      yield* paidDeposit(person.session)
      const { body } = yield* request("GET", "/v1/wallet/invoices", { user: person.session })
      const number: string = body.invoices[0].number
      const { browser, page } = yield* signedIn("finance@example.com", "finance")
      assert.include(page.text, 'href="/admin/documents"')
      const list = yield* browser.open(`${admin}/documents?q=${person.id}`)
      assertSafe(list, http)
      assert.include(list.text, `href="/admin/documents/${number}"`)
      assert.include(list.text, escaped)
      const one = yield* browser.open(`${admin}/documents/${number}`)
      assertSafe(one, http)
      for (const part of [`Receipt ${number}`, escaped, "1 Road", "SHA-256: "]) assert.include(one.text, part)
      const file = yield* browser.open(`${admin}/documents/${number}/file.pdf`)
      assert.strictEqual(file.headers["content-type"], "application/pdf")
      assert.isTrue(file.text.startsWith("%PDF-"))

      const form = yield* browser.open(`${admin}/documents/${number}/reissue`)
      assertSafe(form, http)
      assert.strictEqual((yield* browser.submit({ reason: "no" })).status, 422)
      const again = yield* browser.submit({ reason: "Wrong address" })
      assert.include(again.text, "The invoice was taken back. This is the new one.")
      assert.include(again.text, number)
      const notes = yield* browser.open(`${admin}/documents?kind=credit_note`)
      assert.match(notes.text, /CN-\d{4}-000001/)
      for (const path of ["documents/1970-999999", "documents/nothing", "documents/nothing/file.pdf"])
        assert.strictEqual((yield* browser.open(`${admin}/${path}`)).status, 404)
    })
  )

  it.effect("record rates and check tax numbers; support only reads", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* newPerson
      const business = { name: hostile, is_business: true, country: "FR", tax_number: "FR1", address: "1 Rue" }
      yield* Invoices.use((invoices) => invoices.setBillingDetails(id as never, business))
      const { browser } = yield* signedIn("finance2@example.com", "finance")
      const page = yield* browser.open(`${admin}/taxes`)
      assertSafe(page, http)
      assert.include(page.text, `/admin/customers/${id}/tax-number`)
      const wrong = yield* browser.submit({
        country: "DE",
        rate: "119",
        valid_from: "soon",
        note: "",
        reason: "The law"
      })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "Enter a rate such as 19 or 7.5")
      assert.include(wrong.text, "Enter a day such as 2027-01-01")
      const recorded = yield* browser.submit({ rate: "7,7", valid_from: "2027-01-01" })
      assert.include(recorded.text, "The rate is recorded.")
      assert.deepStrictEqual(yield* sql`SELECT country, rate_bp, note FROM tax_rate`, [
        { country: "DE", rate_bp: 770, note: null }
      ])
      const path = `${admin}/customers/${id}/tax-number`
      assertSafe(yield* browser.open(path), http)
      // The form says yes to what it showed, not to what the customer gave since.
      yield* Invoices.use((invoices) => invoices.setBillingDetails(id as never, { ...business, name: "Another" }))
      assert.include((yield* browser.submit({ is_right: "yes", reason: "VIES" })).text, "Look again.")
      yield* browser.open(path)
      const refused = yield* browser.submit({ is_right: "no", reason: "VIES" })
      assert.include(refused.text, '<span class="mark bad">wrong</span>')
      yield* browser.open(path)
      const checked = yield* browser.submit({ is_right: "yes", reason: "VIES" })
      assert.include(checked.text, "The outcome is saved.")
      assert.include(checked.text, "Ada finance")
      const support = yield* signedIn("support@example.com", "support")
      const read = yield* support.browser.open(`${admin}/taxes`)
      assert.notInclude(read.text, "Record a rate")
      assert.strictEqual((yield* support.browser.open(`${admin}/customers/${id}/tax-number`)).status, 403)
      const viewer = yield* signedIn("viewer@example.com", "viewer")
      assert.strictEqual((yield* viewer.browser.open(`${admin}/documents`)).status, 403)
    })
  )
})
