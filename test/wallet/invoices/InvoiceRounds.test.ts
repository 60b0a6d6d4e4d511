import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { noDetails } from "../../../src/wallet/invoices/BillingDetails.ts"
import { Documents } from "../../../src/wallet/invoices/Documents.ts"
import * as InvoiceRounds from "../../../src/wallet/invoices/InvoiceRounds.ts"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import { dollar } from "../payments/PaymentsTesting.ts"
import { documentsOf, payer, queued, round, stored, test } from "./DocumentsTesting.ts"

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

  it.effect("keeps the buyer of a deleted account until its documents are issued", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { pay, user } = yield* payer
      const billed = { ...noDetails, name: "Ada Ltd", address: "1 Square" }
      yield* Invoices.use(({ setBillingDetails }) => setBillingDetails(user, billed))
      const [account] = yield* sql<{ email: string }>`SELECT email FROM user_account WHERE id = ${user}`
      const at = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = ${at} WHERE id = ${user}`
      assert.isEmpty(yield* sql`SELECT FROM billing_details WHERE user_id = ${user}`)
      yield* round
      const buyersOf = Effect.map(documentsOf(user), (documents) => documents.map(({ buyer }) => buyer))
      const kept = { ...billed, email: account!.email, is_checked: false }
      assert.deepStrictEqual(yield* buyersOf, [kept])
      assert.strictEqual(yield* queued, 0)

      yield* pay({ charge_id: `late_${user}` })
      yield* round
      assert.deepStrictEqual(yield* buyersOf, [kept, { ...noDetails, email: null, is_checked: false }])

      const [first] = yield* documentsOf(user)
      const again = yield* Documents.use(({ reissue }) => reissue(first!.number))
      assert.deepStrictEqual(again.buyer, kept)
    })
  )

  it.effect("lets each payment have its ten minutes", () =>
    Effect.gen(function* () {
      const { pay, user } = yield* payer
      yield* TestClock.adjust("9 minutes")
      yield* pay({ charge_id: `second_${user}` })
      yield* TestClock.adjust("1 minute")
      yield* InvoiceRounds.run
      assert.lengthOf(yield* stored(user), 1)
      yield* round
      assert.lengthOf(yield* stored(user), 2)
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
      yield* TestClock.adjust("2 hours")
      yield* back({ reversal_id: `du_${user}`, kind: "dispute", state: "lost" })
      // Reconcile gives the job an hour from this time.
      const sql = yield* SqlClient.SqlClient
      const [dispute] = yield* sql`SELECT updated_at FROM payment_reversal WHERE reversal_id = ${`du_${user}`}`
      assert.deepStrictEqual(dispute?.["updated_at"], DateTime.toDate(yield* DateTime.now))
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
