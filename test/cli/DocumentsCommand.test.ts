import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountLookUp } from "../../src/accounts/AccountLookUp.ts"
import { documents } from "../../src/cli/DocumentsCommand.ts"
import { tax } from "../../src/cli/TaxCommand.ts"
import { StaffDocuments } from "../../src/staff/documents/StaffDocuments.ts"
import { StaffTaxes } from "../../src/staff/documents/StaffTaxes.ts"
import { noDetails } from "../../src/wallet/invoices/BillingDetails.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { deposited, services } from "../wallet/payments/PaymentsTesting.ts"
import { runner } from "./CommandTesting.ts"

const runDocuments = runner(documents(Layer.effect(StaffDocuments, StaffDocuments)))
const runTax = runner(
  tax(Layer.merge(Layer.effect(AccountLookUp, AccountLookUp), Layer.effect(StaffTaxes, StaffTaxes)))
)

const test = Layer.mergeAll(AccountLookUp.layer, Invoices.layer, StaffDocuments.layer, StaffTaxes.layer).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(NodeServices.layer)
)

layer(test)("documents and tax", (it) => {
  it.effect("list and show documents, and issue an invoice again once for an id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* runDocuments("list"), "No documents")
      const { pay, user } = yield* deposited
      yield* pay()
      yield* Invoices.use((invoices) => invoices.documents(user, { limit: 1, offset: 0 }))
      yield* Invoices.use((invoices) => invoices.setBillingDetails(user, { ...noDetails, name: "Ada\u001b[2J" }))
      assert.match(yield* runDocuments(`list --find ${user}`), /^1970-000001\tinvoice\t\S+\t25\.00 USD\t0\.00 USD\t\t/)
      const shown = yield* runDocuments("show 1970-000001")
      for (const part of ["Receipt 1970-000001", "Total\t$25.00", "SHA-256: "]) assert.include(shown, part)
      const issue = "issue 1970-000001 --reason Wrong --id 0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
      const again = yield* runDocuments(issue)
      assert.match(again, /^1970-000002\tinvoice\t.*\t1970-000001\t.*\tAda \[2J$/)
      assert.include(yield* runDocuments("show 1970-000002"), "Bill to\tAda [2J")
      assert.strictEqual(yield* runDocuments(issue), again)
      assert.lengthOf(yield* sql`SELECT FROM invoice`, 3)
      assert.include(yield* runDocuments("issue 1970-000001 --reason Wrong"), "failed: Only an invoice that no other")
      assert.include(yield* runDocuments("show 1970-000009"), "failed: There is no such invoice")
      assert.deepStrictEqual(yield* sql`SELECT actor_kind, action FROM audit_event`, [
        { actor_kind: "cli", action: "document.issue" }
      ])
    })
  )

  it.effect("record rates and check tax numbers", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* runTax("rates"), "No rates")
      assert.match(
        yield* runTax("record DE 7.7 --from 2027-01-01 --reason Law --note Paragraph"),
        /DE\t7\.7 %\t2027-01-01/
      )
      assert.match(yield* runTax("rates"), /^DE\t7\.7 %\t2027-01-01\tcli:.*\tParagraph$/)
      for (const wrong of [
        "record UK 7 --from 2027-01-01",
        "record DE 101 --from 2027-01-01",
        "record DE 7 --from soon"
      ])
        assert.notMatch(yield* runTax(`${wrong} --reason Law`), /^[A-Z]{2}\t/)
      assert.strictEqual(yield* runTax("numbers"), "No tax numbers")
      const { user } = yield* deposited
      const business = { name: "Ada\u001b", address: "1 Rue", is_business: true, country: "FR", tax_number: "FR1" }
      yield* Invoices.use((invoices) => invoices.setBillingDetails(user, business))
      assert.include(yield* runTax("numbers"), "\tAda \t")
      business.name = "Ada"
      yield* Invoices.use((invoices) => invoices.setBillingDetails(user, business))
      assert.strictEqual(yield* runTax("numbers"), `${user}\tFR\tFR1\tAda\tnot checked`)
      const seen = "--name Ada --country FR --reason VIES"
      assert.strictEqual(yield* runTax(`check ${user} FR1 ${seen}`), "FR1\tchecked")
      assert.strictEqual(yield* runTax(`check ${user} FR1 --wrong ${seen}`), "FR1\twrong")
      assert.strictEqual(yield* runTax("numbers"), `${user}\tFR\tFR1\tAda\twrong`)
      assert.include(yield* runTax(`check ${user} FR2 ${seen}`), "failed: The customer has changed name")
    })
  )
})
