import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { UsersRepo } from "../../../src/accounts/UsersRepo.ts"
import type { UserId } from "../../../src/accounts/User.ts"
import type { Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { InvoiceNumber } from "../../../src/wallet/invoices/Invoice.ts"
import { noDetails } from "../../../src/wallet/invoices/BillingDetails.ts"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "../payments/PaymentsTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"

const all = { limit: 100, offset: 0 }

const listed = (user: UserId) =>
  Effect.map(
    Invoices.use((invoices) => invoices.list(user, all)),
    ({ invoices }) => invoices
  )

const numbersOf = (user: UserId) => Effect.map(listed(user), (invoices) => invoices.map(({ number }) => number))

/** The numbers of all invoices, in order. */
const everyNumber = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ number: string }>`SELECT number FROM invoice ORDER BY kind DESC, is_sandbox, year, position`,
    (rows) => rows.map(({ number }) => number)
  )
)

const paidBy = Effect.gen(function* () {
  const deposit = yield* deposited
  yield* deposit.pay()
  return deposit
})

const numbers = (year: number, count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${year}-${String(from + index).padStart(6, "0")}`)

const erase = (user: UserId) =>
  Effect.gen(function* () {
    const repo = yield* UsersRepo
    yield* repo.erase(user, yield* DateTime.now)
  }).pipe(Effect.provide(UsersRepo.layer))

const test = Invoices.layer.pipe(Layer.provideMerge(services))

layer(test)("The numbers of invoices", (it) => {
  it.effect("have no gap and no double when many accounts read at once, each account several times", () =>
    Effect.gen(function* () {
      const paid = yield* Effect.all(Array.from({ length: 12 }, () => paidBy))
      for (const { pay, user } of paid.slice(0, 4)) yield* pay({ charge_id: `second_${user}` })
      assert.isEmpty(yield* everyNumber)
      const reads = paid.flatMap(({ user }) => [user, user, user])
      yield* Effect.forEach(reads, listed, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* everyNumber, numbers(1970, 16))
      for (const { user } of paid) yield* listed(user)
      assert.lengthOf(yield* everyNumber, 16)
    })
  )

  it.effect("are given again after a transaction that rolls back, and begin anew each year", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = (yield* everyNumber).length
      const { pay, user } = yield* paidBy
      yield* Effect.flip(sql.withTransaction(Effect.andThen(listed(user), Effect.fail("rolled back"))))
      assert.lengthOf(yield* everyNumber, before)
      assert.deepStrictEqual(yield* numbersOf(user), numbers(1970, 1, before + 1))
      yield* pay({ charge_id: `late_${user}` })
      yield* TestClock.adjust("366 days")
      assert.deepStrictEqual(yield* numbersOf(user), ["1971-000001", ...numbers(1970, 1, before + 1)])
    })
  )

  it.effect("of sandbox payments are a series of their own", () =>
    Effect.gen(function* () {
      const { pay, user } = yield* deposited
      const before = (yield* everyNumber).length
      yield* pay({ charge_id: `sandbox_${user}` })
      const [invoice] = yield* listed(user)
      assert.deepInclude(invoice, { number: InvoiceNumber.make("TEST-1971-000001"), is_sandbox: true })
      assert.lengthOf(yield* everyNumber, before + 1)
    })
  )

  it.effect("and the invoices cannot be changed, removed, chosen or skipped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, user } = yield* paidBy
      const line = { type: "deposit", description: "Wallet top-up", quantity: 1, unit_price: "1" }
      const insert = (transaction_id: string, amount: bigint, position = 7) => sql`
        INSERT INTO invoice (kind, transaction_id, user_id, is_sandbox, year, position, number, issued_at, currency,
          total, net, tax, body, sha256)
        VALUES ('invoice', ${transaction_id}, ${user}, true, 2999, ${position}, '2999-000007', ${new Date(0)}, 'USD',
          ${String(amount)}, ${String(amount)}, 0, ${JSON.stringify({ lines: [{ ...line, amount: String(amount) }] })}::jsonb,
          'none')
        RETURNING number, user_id
      `
      const refused = Effect.map(Effect.flip(insert(yield* Fixtures.fund(user, 1n), 1n)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* refused, "ConstraintError")
      assert.strictEqual((yield* Effect.flip(insert(id, 24n * dollar))).reason._tag, "ConstraintError")
      const before = (yield* everyNumber).filter((number) => number.startsWith("1970")).length
      assert.deepStrictEqual(yield* insert(id, 25n * dollar), [
        { number: numbers(1970, 1, before + 1)[0], user_id: user }
      ])
      for (const change of [
        sql`UPDATE invoice SET body = '{}' WHERE transaction_id = ${id}`,
        sql`DELETE FROM invoice WHERE transaction_id = ${id}`,
        sql`TRUNCATE invoice CASCADE`,
        sql`UPDATE invoice_counter SET last_position = last_position + 1`,
        sql`UPDATE invoice_counter SET last_position = last_position + 2`,
        sql`UPDATE invoice_counter SET last_position = 1`,
        sql`DELETE FROM invoice_counter`,
        sql`INSERT INTO invoice_counter VALUES (false, 2999, 1, 'invoice', '2999-01-01')`,
        sql`INSERT INTO invoice_counter VALUES (false, 2999, 5, 'invoice', '2999-01-01')`
      ])
        assert.strictEqual((yield* Effect.flip(change))._tag, "SqlError")
    })
  )
})

layer(test)("An invoice", (it) => {
  it.effect("is for each charge of an account, newest first, and only for its owner", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const { id, pay, user } = yield* paidBy
      yield* TestClock.adjust("1 day")
      yield* pay({ charge_id: `again_${user}`, amount: 3n * dollar })
      const stranger = yield* paidBy
      const unpaid = yield* deposited
      const [second, first] = yield* listed(user)
      assert.deepInclude(first, {
        number: InvoiceNumber.make("1970-000001"),
        transaction_id: id,
        total: 25n * dollar,
        currency: "USD",
        reversed: 0n,
        payment_method: "card_gateway",
        is_sandbox: false
      })
      assert.deepStrictEqual(first?.lines, [
        { type: "deposit", description: "Wallet top-up", quantity: 1, unit_price: 25n * dollar, amount: 25n * dollar }
      ])
      assert.deepStrictEqual([second?.number, second?.total], ["1970-000002", 3n * dollar])
      assert.deepStrictEqual(
        [first, second].map((one) => [one?.paid_at, one?.issued_at].map((at) => at && DateTime.toEpochMillis(at))),
        [
          [0, 86_400_000],
          [86_400_000, 86_400_000]
        ]
      )
      assert.deepStrictEqual(
        (yield* invoices.list(user, { limit: 1, offset: 1 })).invoices.map(({ number }) => number),
        ["1970-000001"]
      )
      assert.deepStrictEqual(yield* invoices.get(user, first!.number), first)
      assert.deepStrictEqual(yield* invoices.ofTransaction(user, id), first)
      for (const read of [
        invoices.get(stranger.user, first!.number),
        invoices.ofTransaction(stranger.user, id),
        invoices.ofTransaction(unpaid.user, unpaid.id)
      ])
        assert.strictEqual((yield* Effect.flip(read))._tag, "InvoiceNotFound")
      assert.deepStrictEqual(yield* invoices.list(unpaid.user, all), { invoices: [], total: 0 })
    })
  )

  it.effect("keeps the buyer as the account was when it was made", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const sql = yield* SqlClient.SqlClient
      const { pay, user } = yield* paidBy
      const email = `${user}@example.com`
      yield* invoices.setBillingDetails(user, { ...noDetails, name: "Ada Ltd", address: "1 Square\nLondon" })
      yield* listed(user)
      yield* invoices.setBillingDetails(user, { ...noDetails, name: null, address: "2 Road" })
      yield* sql`UPDATE user_account SET email = ${`new-${email}`} WHERE id = ${user}`
      yield* pay({ charge_id: `again_${user}` })
      yield* listed(user)
      yield* invoices.setBillingDetails(user, { ...noDetails, name: null, address: null })
      assert.deepStrictEqual(yield* invoices.billingDetails(user), noDetails)
      yield* pay({ charge_id: `third_${user}` })
      assert.deepStrictEqual(
        (yield* listed(user)).map(({ buyer }) => buyer),
        [
          { ...noDetails, email: `new-${email}`, is_checked: false },
          { ...noDetails, email: `new-${email}`, address: "2 Road", is_checked: false },
          { ...noDetails, email, name: "Ada Ltd", address: "1 Square\nLondon", is_checked: false }
        ]
      )
    })
  )

  it.effect("stays when its account is deleted; the billing details go, and one that is due keeps its buyer", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const sql = yield* SqlClient.SqlClient
      const { pay, user } = yield* paidBy
      const [account] = yield* sql<{ email: string }>`SELECT email FROM user_account WHERE id = ${user}`
      yield* invoices.setBillingDetails(user, { ...noDetails, name: "Ada Ltd", address: null })
      const made = yield* listed(user)
      assert.lengthOf(made, 1)
      yield* pay({ charge_id: `again_${user}` })
      yield* erase(user)
      yield* invoices.setBillingDetails(user, { ...noDetails, name: "Left behind", address: null })
      assert.isEmpty(yield* sql`SELECT FROM billing_details WHERE user_id = ${user}`)
      const [later, ...earlier] = yield* listed(user)
      assert.deepStrictEqual(earlier, made)
      assert.deepStrictEqual(later?.buyer, { ...noDetails, name: "Ada Ltd", email: account!.email, is_checked: false })
    })
  )

  it.effect("loses the billing details of an earlier holder when a reset takes the account over", () =>
    Effect.gen(function* () {
      const invoices = yield* Invoices
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* invoices.setBillingDetails(user, { ...noDetails, name: "Earlier", address: null })
      yield* sql`UPDATE user_account SET email_verified = true, password_hash = '$argon2id$new' WHERE id = ${user}`
      assert.deepStrictEqual(yield* invoices.billingDetails(user), noDetails)
    })
  )

  it.effect("says how much of the payment was taken back, until it is returned", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { deposit, user } = yield* paidBy
      const report = (change: Partial<Omit<Reversed, "_tag">>) => {
        const charge_id = `charge_${deposit.payment_intent_id}`
        const whole = { charge_id, reversal_id: `re_${user}`, kind: "dispute", status: "taken", amount: null } as const
        return payments.receive("card_gateway", gateways.reverse(deposit.payment_intent_id, { ...whole, ...change }))
      }
      const reversed = Effect.map(listed(user), ([invoice]) => invoice?.reversed)
      assert.strictEqual(yield* reversed, 0n)
      yield* report({ status: "announced" })
      assert.strictEqual(yield* reversed, 0n)
      yield* report({ reversal_id: `part_${user}`, kind: "refund", amount: 10n * dollar })
      assert.strictEqual(yield* reversed, 10n * dollar)
      yield* report({})
      assert.strictEqual(yield* reversed, 25n * dollar)
      yield* report({ status: "returned" })
      assert.strictEqual(yield* reversed, 10n * dollar)
    })
  )

  it.effect("of many payments are all made by the first read", () =>
    Effect.gen(function* () {
      const { pay, user } = yield* deposited
      for (let count = 0; count < 101; count++) yield* pay({ charge_id: `many_${count}` })
      const { invoices, total } = yield* Invoices.use((service) => service.list(user, all))
      assert.deepStrictEqual([invoices.length, total], [100, 101])
    })
  )
})
