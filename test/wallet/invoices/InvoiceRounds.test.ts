import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import type { DisputeTold, Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { noDetails } from "../../../src/wallet/invoices/BillingDetails.ts"
import { Documents } from "../../../src/wallet/invoices/Documents.ts"
import { InvoiceIssuesRepo } from "../../../src/wallet/invoices/InvoiceIssuesRepo.ts"
import * as InvoiceRounds from "../../../src/wallet/invoices/InvoiceRounds.ts"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import { TaxRateId } from "../../../src/wallet/invoices/TaxRate.ts"
import { TaxRatesRepo } from "../../../src/wallet/invoices/TaxRatesRepo.ts"
import { TaxRecords } from "../../../src/wallet/invoices/TaxRecords.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, servicesWith } from "../payments/PaymentsTesting.ts"

const settingsOf = (settings: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))

const test = (settings: Record<string, string>) =>
  Layer.mergeAll(Documents.layer, InvoiceIssuesRepo.layer, Invoices.layer, TaxRatesRepo.layer, TaxRecords.layer).pipe(
    Layer.provideMerge(servicesWith(settings)),
    Layer.provideMerge(settingsOf(settings))
  )

/** A round of the job after the time in which a payer can give an address. */
const round = Effect.andThen(TestClock.adjust("10 minutes"), InvoiceRounds.run)

const documentsOf = (user: UserId) =>
  Effect.map(
    Invoices.use((invoices) => invoices.documents(user, { limit: 100, offset: 0 })),
    ({ invoices }) => invoices.toReversed()
  )

const stored = (user: UserId) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ what: string }>`
        SELECT kind || ' ' || total / 1000000 || coalesce(' ' || cause, '') AS what FROM invoice WHERE user_id = ${user}
        ORDER BY issued_at, kind DESC, position
      `,
      (rows) => rows.map(({ what }) => what)
    )
  )

const queued = SqlClient.SqlClient.use((sql) => Effect.map(sql`SELECT FROM invoice_due`, ({ length }) => length))

type Told = Partial<Omit<Reversed, "_tag" | "dispute">> & { readonly state?: DisputeTold["state"] }

const payer = Effect.gen(function* () {
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const { deposit, id, pay, user } = yield* deposited
  yield* pay()
  const intent = deposit.payment_intent_id
  const back = ({ state, ...change }: Told) =>
    payments.receive(
      "card_gateway",
      gateways.reverse(intent, {
        charge_id: `charge_${intent}`,
        reversal_id: `re_${user}`,
        kind: "refund",
        status: "taken",
        amount: null,
        ...change,
        ...(state !== undefined && { dispute: { state, reason: null, answer_by: null } })
      })
    )
  return { back, id, pay, user }
})

const rate = (country: string, rate_bp: number, valid_from = "2000-01-01", note: string | null = null) =>
  TaxRecords.use((taxes) =>
    taxes.recordRate(TaxRateId.make(randomUUID()), { country, rate_bp, valid_from, note }, "Ada")
  )

/** Runs a job that dies before its statement of this number; true when it came so far. */
const killedAt = Effect.fnUntraced(function* <A, E, R>(job: Effect.Effect<A, E, R>, last: number) {
  let count = 0
  const transform: Statement.Transformer = (statement) =>
    Effect.suspend(() => (++count >= last ? Effect.interrupt : Effect.succeed(statement)))
  yield* Effect.exit(Effect.provideService(job, Statement.CurrentTransformer, transform))
  return count >= last
})

layer(test({}))("The job of the documents", (it) => {
  it.effect("makes the receipt of a payment ten minutes later, and each once", () =>
    Effect.gen(function* () {
      const { user } = yield* payer
      yield* InvoiceRounds.run
      assert.deepStrictEqual(yield* stored(user), [])
      yield* round
      yield* round
      assert.deepStrictEqual(yield* stored(user), ["invoice 25"])
      const [document] = yield* documentsOf(user)
      assert.deepInclude(document, { net: 25n * dollar, tax: 0n, total: 25n * dollar })
      assert.strictEqual(yield* queued, 0)
    })
  )

  it.effect("makes credit notes over what went back: refunds, and disputes that are lost", () =>
    Effect.gen(function* () {
      const { back, user } = yield* payer
      yield* round
      yield* back({ amount: 4n * dollar })
      yield* round
      assert.deepStrictEqual(yield* stored(user), ["invoice 25", "credit_note 4 refund"])
      yield* back({ reversal_id: `du_${user}`, kind: "dispute", state: "needs_answer" })
      yield* round
      assert.lengthOf(yield* stored(user), 2)
      yield* back({ reversal_id: `du_${user}`, kind: "dispute", state: "lost" })
      yield* round
      yield* round
      assert.deepStrictEqual(yield* stored(user), ["invoice 25", "credit_note 4 refund", "credit_note 21 refund"])
      const [invoice, note] = yield* documentsOf(user)
      assert.deepInclude(note, { corrects: invoice!.number, buyer: invoice!.buyer })
      // The contract lists invoices only.
      const { invoices, total } = yield* Invoices.use((all) => all.list(user, { limit: 9, offset: 0 }))
      assert.deepStrictEqual([invoices.map(({ kind }) => kind), total], [["invoice"], 1])
    })
  )

  it.effect("issues the invoice again when a dispute that looked lost returns the money", () =>
    Effect.gen(function* () {
      const { back, user } = yield* payer
      yield* round
      yield* back({ kind: "dispute", amount: 5n * dollar, state: "lost" })
      yield* round
      yield* back({ kind: "dispute", status: "returned", state: "won" })
      yield* round
      const expected = ["invoice 25", "credit_note 5 refund", "credit_note 20 correction", "invoice 25"]
      assert.sameMembers([...(yield* stored(user))], expected)
      const [first, ...others] = yield* documentsOf(user)
      assert.strictEqual(others.find(({ kind }) => kind === "invoice")?.corrects, first!.number)
      yield* round
      assert.lengthOf(yield* stored(user), 4)
    })
  )

  it.effect("issues each document once wherever it is killed, with another instance beside it", () =>
    Effect.gen(function* () {
      for (let last = 1; last < 60; last++) {
        const { back, user } = yield* payer
        yield* back({ amount: 4n * dollar })
        yield* TestClock.adjust("10 minutes")
        const wasKilled = yield* killedAt(InvoiceRounds.run, last)
        yield* Effect.all([InvoiceRounds.run, InvoiceRounds.run], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          yield* stored(user),
          ["invoice 25", "credit_note 4 refund"],
          `killed at statement ${last}`
        )
        assert.strictEqual(yield* queued, 0)
        if (!wasKilled) return assert.isAbove(last, 8)
      }
      assert.fail("the job did not end")
    })
  )

  it.effect("keeps both series without gap or double, with eight writers and rollbacks, and the times rise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const paid = yield* Effect.all(Array.from({ length: 8 }, () => payer))
      for (const { back, pay, user } of paid) {
        yield* pay({ charge_id: `second_${user}` })
        yield* back({ amount: 3n * dollar })
      }
      yield* TestClock.adjust("10 minutes")
      const aborted = Effect.ignore(sql.withTransaction(Effect.andThen(InvoiceRounds.run, Effect.fail("rolled back"))))
      const writers = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? aborted : InvoiceRounds.run))
      yield* Effect.all(writers, { concurrency: "unbounded" })
      yield* InvoiceRounds.run
      const broken = yield* sql`
        SELECT number FROM (
          SELECT number, position, issued_at, row_number() OVER series AS expected, lag(issued_at) OVER series AS earlier
          FROM invoice WINDOW series AS (PARTITION BY kind, is_sandbox, year ORDER BY position)
        ) numbered WHERE position <> expected OR earlier > issued_at
      `
      assert.deepStrictEqual(broken, [])
      for (const { user } of paid)
        assert.sameMembers([...(yield* stored(user))], ["invoice 25", "invoice 25", "credit_note 3 refund"])
    })
  )
})

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
      const details = { ...noDetails, name: "Ada SARL", is_business: true, country: "FR", tax_number: "FR1" }
      yield* invoices.setBillingDetails(user, details)
      yield* round
      yield* taxes.checkNumber(user, "FR1", "Ada")
      yield* pay({ charge_id: `second_${user}` })
      yield* round
      // The check ends with a change of the number.
      yield* invoices.setBillingDetails(user, { ...details, address: "1 Rue" })
      yield* pay({ charge_id: `third_${user}` })
      yield* round
      yield* invoices.setBillingDetails(user, { ...details, tax_number: "FR2" })
      assert.strictEqual((yield* Effect.flip(taxes.checkNumber(user, "FR1", "Ada")))._tag, "TaxNumberChanged")
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
