import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { UserId } from "../../../src/accounts/User.ts"
import { DatabaseFacts } from "../../../src/doctor/DatabaseFacts.ts"
import { noDetails } from "../../../src/wallet/invoices/BillingDetails.ts"
import { Documents } from "../../../src/wallet/invoices/Documents.ts"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import { TaxRecords } from "../../../src/wallet/invoices/TaxRecords.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { dollar } from "../payments/PaymentsTesting.ts"
import { documentsOf, payer, queued, rate, round, stored, test } from "./DocumentsTesting.ts"

layer(test({ TAX: "destination", TAX_COUNTRY: "DE" }))("With TAX on, a document", (it) => {
  it.effect("waits until the seller's country has a rate, and then has the rate of the day of the payment", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("12000 days")
      const { user } = yield* payer
      yield* rate("DE", 700, "2010-01-01")
      yield* round
      assert.deepStrictEqual(yield* documentsOf(user), [])
      yield* rate("DE", 1900)
      yield* rate("DE", 1600, "2002-11-10")
      yield* round
      yield* round
      const [document] = yield* documentsOf(user)
      assert.deepInclude(document, { total: 25n * dollar, net: 21_010_000n, tax: 3_990_000n })
      assert.deepStrictEqual(document?.tax_rule, {
        scheme: "destination",
        country: "DE",
        rate_bp: 1900,
        note: null,
        reverse_charge: false
      })
    })
  )

  it.effect("has the rate of the buyer's country, and no tax with a number that staff have checked", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const taxes = yield* TaxRecords
      yield* rate("FR", 2000, "2000-01-01", "TVA")
      const { pay, user } = yield* payer
      const seen = { name: "Ada SARL", country: "FR", tax_number: "FR1" }
      const details = { ...seen, is_business: true, address: "1 Rue" }
      const refused = Effect.map(Effect.flip(taxes.checkNumber(user, seen, "Ada")), ({ _tag }) => _tag)
      yield* invoices.setBillingDetails(user, { ...details, address: null })
      assert.strictEqual(yield* refused, "TaxNumberChanged")
      yield* invoices.setBillingDetails(user, details)
      yield* round
      yield* taxes.checkNumber(user, seen, "Ada")
      yield* pay({ charge_id: `second_${user}` })
      yield* round
      // The check ends with a change of the number.
      yield* invoices.setBillingDetails(user, { ...details, address: "2 Rue" })
      yield* pay({ charge_id: `third_${user}` })
      yield* round
      yield* invoices.setBillingDetails(user, { ...details, tax_number: "FR2" })
      assert.strictEqual(yield* refused, "TaxNumberChanged")
      yield* pay({ charge_id: `fourth_${user}` })
      yield* round
      assert.deepStrictEqual(
        (yield* documentsOf(user)).map(({ buyer, tax, tax_rule }) => [
          tax,
          tax_rule.country,
          tax_rule.reverse_charge,
          buyer.is_checked
        ]),
        [
          [4_170_000n, "FR", false, false],
          [0n, "FR", true, true],
          [0n, "FR", true, true],
          [4_170_000n, "FR", false, false]
        ]
      )
    })
  )

  it.effect("is taxed again when the buyer of a checked number takes the address away", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const taxes = yield* TaxRecords
      const user = yield* Fixtures.newUser
      const seen = { name: "Ada Srl", country: "IT", tax_number: "IT1" }
      const details = { ...seen, is_business: true, address: "1 Via" }
      yield* invoices.setBillingDetails(user, details)
      for (const other of [{ name: "Bob Srl" }, { country: "ES" }, { tax_number: "IT2" }])
        assert.isTrue(Exit.isFailure(yield* Effect.exit(taxes.checkNumber(user, { ...seen, ...other }, "Ada"))))
      assert.strictEqual((yield* taxes.checkNumber(user, seen, "Ada")).checked_by, "Ada")
      yield* invoices.setBillingDetails(user, { ...details, address: null })
      yield* invoices.setBillingDetails(user, details)
      const found = Effect.map(taxes.number(user), Option.getOrThrow)
      assert.strictEqual((yield* found).checked_by, null)
    })
  )

  it.effect("numbers that are wrong stand last in the list, until the buyer gives another one", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const taxes = yield* TaxRecords
      const [bad, good, waiting] = [yield* Fixtures.newUser, yield* Fixtures.newUser, yield* Fixtures.newUser]
      const seen = { name: "Ada Lda", country: "PT", tax_number: "PT1" }
      const give = (user: UserId, tax_number: string) =>
        invoices.setBillingDetails(user, { ...seen, is_business: true, address: "1 Rua", tax_number })
      for (const user of [bad, good, waiting]) yield* give(user, "PT1")
      yield* taxes.checkNumber(bad, seen, null)
      yield* taxes.checkNumber(good, seen, "Ada")
      const order = Effect.map(taxes.numbers, (all) =>
        all.filter(({ country }) => country === "PT").map(({ user_id }) => user_id)
      )
      assert.deepStrictEqual(yield* order, [waiting, good, bad])
      assert.isNotNull(Option.getOrThrow(yield* taxes.number(bad)).refused_at)
      yield* give(bad, "PT2")
      assert.strictEqual((yield* order).at(-1), good)
    })
  )

  it.effect("has the same content again after a return that was undone, also with reverse charge", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const { back, user } = yield* payer
      const details = { ...noDetails, name: "Ada AB", address: "1 Gatan", is_business: true, country: "SE" }
      yield* invoices.setBillingDetails(user, { ...details, tax_number: "SE1" })
      yield* TaxRecords.use((taxes) =>
        taxes.checkNumber(user, { name: "Ada AB", country: "SE", tax_number: "SE1" }, "Ada")
      )
      yield* round
      yield* back({ kind: "dispute", amount: 5n * dollar, state: "lost" })
      yield* round
      yield* invoices.setBillingDetails(user, { ...noDetails, name: "Another", country: "DE" })
      yield* back({ kind: "dispute", status: "returned", state: "won" })
      yield* round
      const [first, again] = (yield* documentsOf(user)).filter(({ kind }) => kind === "invoice")
      const { buyer, lines, net, seller, tax, tax_rule, total } = first!
      assert.isTrue(tax_rule.reverse_charge)
      assert.deepInclude(again, { corrects: first!.number, buyer, lines, net, seller, tax, tax_rule, total })
    })
  )

  it.effect("is taken back with its own tax, also in parts, and issued again with the present buyer", () =>
    Effect.gen(function* () {
      const documents = yield* Documents
      const { back, user } = yield* payer
      yield* round
      yield* back({ amount: 10n * dollar })
      yield* round
      yield* Invoices.use((invoices) => invoices.setBillingDetails(user, { ...noDetails, country: "US", name: "Ada" }))
      const [first] = yield* documentsOf(user)
      const again = yield* documents.reissue(first!.number)
      assert.deepInclude(again, { corrects: first!.number, tax: 0n, net: 25n * dollar })
      const all = yield* documentsOf(user)
      assert.sameDeepMembers(
        all.filter(({ corrects }) => corrects === first!.number).map(({ cause, net, tax }) => [cause, net + tax, tax]),
        [
          ["refund", 10n * dollar, 1_600_000n],
          ["correction", 15n * dollar, 2_390_000n],
          [null, 25n * dollar, 0n]
        ]
      )
      assert.deepStrictEqual(
        all.filter(({ corrects }) => corrects === again.number).map(({ cause, total }) => [cause, total]),
        [["refund", 10n * dollar]]
      )
      // Credit notes and replaced invoices are not issued again.
      for (const number of [first!.number, all.find(({ kind }) => kind === "credit_note")!.number])
        assert.strictEqual((yield* Effect.flip(documents.reissue(number)))._tag, "InvoiceReplaced")
      yield* round
      assert.lengthOf(yield* documentsOf(user), all.length)
    })
  )

  it.effect("cannot take back more than its invoice, or another payment's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { back, id, user } = yield* payer
      const other = yield* payer
      yield* round
      yield* back({ amount: 10n * dollar })
      yield* round
      const [invoice] = yield* documentsOf(user)
      const note = (transaction_id: string, amount: bigint) => sql`
        INSERT INTO invoice (kind, corrects, cause, transaction_id, issued_at, currency, total, net, tax, body)
        VALUES ('credit_note', ${invoice!.number}, 'refund', ${transaction_id}, ${new Date(0)}, 'USD', ${String(amount)},
          ${String(amount)}, 0, ${JSON.stringify({ lines: [{ amount: String(amount) }] })}::jsonb)
      `
      for (const forged of [note(id, 15n * dollar + 1n), note(other.id, 1n)])
        assert.strictEqual((yield* Effect.flip(forged)).reason._tag, "ConstraintError")
      yield* note(id, 15n * dollar)
      for (const change of [sql`UPDATE tax_rate SET rate_bp = 0`, sql`DELETE FROM tax_rate`, sql`TRUNCATE tax_rate`])
        assert.strictEqual((yield* Effect.flip(change))._tag, "SqlError")
    })
  )
})

layer(test({ TAX: "seller", TAX_COUNTRY: "AT" }))("A payment from before the first tax rate", (it) => {
  it.effect("waits for its own documents, and holds up no other of its account", () =>
    Effect.gen(function* () {
      // The last moment of the year 2000.
      yield* TestClock.adjust(11_323 * 86_400_000 - 1)
      const { back, id, pay, user } = yield* payer
      yield* back({ amount: 4n * dollar })
      yield* TestClock.adjust(1)
      yield* pay({ charge_id: `second_${user}` })
      yield* rate("AT", 2000, "2001-01-01")
      yield* round
      yield* round
      assert.deepStrictEqual(yield* stored(user), ["invoice 25"])
      const [document] = yield* documentsOf(user)
      assert.deepInclude(document, { tax: 4_170_000n })
      assert.notStrictEqual(document?.transaction_id, id)
      const read = Invoices.use((invoices) => invoices.ofTransaction(user, id))
      assert.strictEqual((yield* Effect.flip(read))._tag, "InvoiceNotFound")
      assert.strictEqual(yield* queued, 2)
      const facts = yield* DatabaseFacts.use(({ read }) => read).pipe(Effect.provide(Layer.fresh(DatabaseFacts.layer)))
      assert.deepStrictEqual([facts.first_tax_days, facts.first_unissued_day], [{ AT: "2001-01-01" }, "2000-12-31"])
      yield* rate("AT", 0, "2000-01-01", "Untaxed")
      yield* round
      assert.sameMembers([...(yield* stored(user))], ["invoice 25", "invoice 25", "credit_note 4 refund"])
      assert.strictEqual(yield* queued, 0)
    })
  )
})
