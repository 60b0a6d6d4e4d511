import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import type { Currency } from "../../src/platform/Money.ts"
import { LedgerRepo } from "../../src/wallet/LedgerRepo.ts"
import { type Charge, Wallets } from "../../src/wallet/Wallets.ts"
import { WalletsRepo } from "../../src/wallet/WalletsRepo.ts"
import { newTransactionId } from "../../src/wallet/WalletTransaction.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { fund } from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const dollar = 1_000_000n

const entry = (amount: bigint, amount_usd = amount) => ({
  order_id: null,
  reference: randomUUID() as string,
  amount,
  amount_usd,
  description: "Proxy"
})

const funded = Effect.fnUntraced(function* (amount: bigint, currency: Currency = "USD") {
  const user_id = yield* Fixtures.newUser
  yield* fund(user_id, amount, currency)
  const wallets = yield* Wallets
  const balance = Effect.map(wallets.balance(user_id, currency), (wallet) => wallet.balance)
  const charge = (entries: Charge["entries"], spender: Charge["spender"] = null) =>
    wallets.charge({ user_id, currency, spender, entries })
  return { user_id, balance, charge, refund: wallets.refund }
})

const booked = Effect.fnUntraced(function* (user_id: UserId, currency: Currency = "USD") {
  const listed = yield* WalletTransactions.use((transactions) =>
    transactions.list(user_id, { currency }, { limit: 1000, offset: 0 })
  )
  return listed.map(({ amount, transaction_type }) => [transaction_type, amount] as const)
})

const limited = (dollars: bigint) => ({
  kind: "api_key" as const,
  id: randomUUID(),
  daily_spend_limit_usd: dollars * dollar
})

const services = Layer.mergeAll(Wallets.layer, WalletTransactions.layer).pipe(Layer.provideMerge(TestDatabase.layer))

layer(services)("Wallets", (it) => {
  it.effect("create one empty wallet of an account for each currency", () =>
    Effect.gen(function* () {
      const user = yield* Fixtures.newUser
      const wallets = yield* Wallets
      const lists = yield* Effect.all([wallets.list(user), wallets.list(user), wallets.balance(user, "STAR")], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        lists[0].map(({ balance, currency }) => [currency, balance]),
        [
          ["USD", 0n],
          ["STAR", 0n]
        ]
      )
      assert.deepStrictEqual(lists[1], lists[0])
      assert.deepStrictEqual(lists[2], lists[0][1])
    })
  )

  it.effect("charge all entries together and write each to the ledger", () =>
    Effect.gen(function* () {
      const { balance, charge, user_id } = yield* funded(10n * dollar)
      yield* charge([entry(2n * dollar), entry(3n * dollar), entry(5n * dollar)])
      assert.strictEqual(yield* balance, 0n)
      assert.deepStrictEqual(yield* booked(user_id), [
        ["payment", -5n * dollar],
        ["payment", -3n * dollar],
        ["payment", -2n * dollar],
        ["deposit", 10n * dollar]
      ])
    })
  )

  it.effect("charge nothing when the money is not enough for all entries, and report the price and the balance", () =>
    Effect.gen(function* () {
      const { balance, charge, user_id } = yield* funded(10n * dollar)
      const error = yield* Effect.flip(charge([entry(6n * dollar), entry(4_500_000n)]))
      assert.deepInclude(error.details, {
        reason: "insufficient_balance",
        required: "10.50",
        balance: "10.00",
        currency: "USD"
      })
      assert.strictEqual(yield* balance, 10n * dollar)
      assert.strictEqual((yield* booked(user_id)).length, 1)
    })
  )

  it.effect("refuse to charge an account that never had a wallet", () =>
    Effect.gen(function* () {
      const wallets = yield* Wallets
      const user_id = yield* Fixtures.newUser
      const charge = wallets.charge({ user_id, currency: "STAR", spender: null, entries: [entry(7n)] })
      const error = yield* Effect.flip(charge)
      assert.deepInclude(error.details, { required: "7", balance: "0", currency: "STAR" })
    })
  )

  it.effect("commit and roll back with the surrounding transaction", () =>
    Effect.gen(function* () {
      const { balance, charge } = yield* funded(10n * dollar)
      const atomically = yield* Atomically
      yield* charge([entry(4n * dollar)]).pipe(
        Effect.andThen(Effect.fail("the order could not be written")),
        atomically,
        Effect.flip
      )
      assert.strictEqual(yield* balance, 10n * dollar)
    })
  )

  it.effect("charge a reference only once", () =>
    Effect.gen(function* () {
      const { balance, charge } = yield* funded(10n * dollar)
      const once = entry(4n * dollar)
      yield* charge([once])
      assert.isTrue(Exit.hasDies(yield* Effect.exit(charge([once]))))
      assert.strictEqual(yield* balance, 6n * dollar)
    })
  )

  it.effect("accept exactly 5 of 40 simultaneous charges when the money is enough for 5", () =>
    Effect.gen(function* () {
      const { balance, charge, user_id } = yield* funded(5n * dollar)
      const atomically = yield* Atomically
      const exits = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => Effect.exit(atomically(charge([entry(600_000n), entry(400_000n)]))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 5)
      assert.isTrue(exits.every((exit) => Exit.isSuccess(exit) || !Exit.hasDies(exit)))
      assert.strictEqual(yield* balance, 0n)
      assert.strictEqual((yield* booked(user_id)).length, 11)
    })
  )

  it.effect("refund a payment once when many requests come simultaneously", () =>
    Effect.gen(function* () {
      const { balance, charge, refund, user_id } = yield* funded(10n * dollar)
      const paid = entry(4n * dollar)
      yield* charge([paid, entry(1n * dollar)])
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 10 }, () => randomUUID()),
        (reference) => refund({ order_id: null, payment_reference: paid.reference, reference, description: "Refund" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes.filter((outcome) => outcome === "refunded").length, 1)
      assert.strictEqual(yield* balance, 9n * dollar)
      assert.deepStrictEqual((yield* booked(user_id))[0], ["refund", 4n * dollar])
    })
  )

  it.effect("charge, refund and credit simultaneously without a deadlock, and the ledger adds up", () =>
    Effect.gen(function* () {
      const { balance, charge, refund, user_id } = yield* funded(100n * dollar)
      const key = limited(1000n)
      const round = Effect.gen(function* () {
        const paid = entry(2n * dollar)
        yield* charge([paid], key)
        yield* refund({ order_id: null, payment_reference: paid.reference, reference: paid.reference, description: "" })
        yield* fund(user_id, 1n * dollar)
        yield* charge([entry(1n * dollar)])
      })
      yield* Effect.forEach(Array.from({ length: 25 }), () => round, { concurrency: "unbounded", discard: true })
      const entries = yield* booked(user_id)
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.strictEqual(
        entries.reduce((sum, [, amount]) => sum + amount, 0n),
        100n * dollar
      )
    })
  )
})

/** Wallets with a ledger that writes nothing. */
const unwritten = Layer.fresh(Wallets.layerNoDeps).pipe(
  Layer.provide([
    Layer.effect(
      LedgerRepo,
      Effect.map(LedgerRepo.make, (repo) => ({ ...repo, book: () => Effect.succeed(false) }))
    ),
    WalletsRepo.layer
  ])
)

layer(services)("Wallets over a ledger that writes nothing", (it) => {
  it.effect("report a defect when an entry was not written", () =>
    Effect.gen(function* () {
      const { charge, user_id } = yield* funded(10n * dollar)
      const paid = entry(4n * dollar)
      yield* charge([paid])
      const refund = { order_id: null, payment_reference: paid.reference, reference: "r", description: "Refund" }
      const attempts = [
        Effect.asVoid(fund(user_id, dollar)),
        Wallets.use((wallets) => Effect.asVoid(wallets.refund(refund)))
      ]
      for (const attempt of attempts)
        assert.isTrue(Exit.hasDies(yield* Effect.exit(Effect.provide(attempt, unwritten))))
      const unknown = yield* newTransactionId
      const completed = LedgerRepo.use((ledger) => ledger.complete(unknown, "charge", false)).pipe(
        Effect.provide(LedgerRepo.layer)
      )
      assert.isTrue(Exit.hasDies(yield* Effect.exit(completed)))
    })
  )
})

layer(services)("The daily spend limit of an API key", (it) => {
  it.effect("refuses a payment that exceeds it, and reports the spent amount", () =>
    Effect.gen(function* () {
      const { balance, charge } = yield* funded(100n * dollar)
      const key = limited(10n)
      yield* charge([entry(4n * dollar), entry(3n * dollar)], key)
      const error = yield* Effect.flip(charge([entry(3_000_001n)], key))
      assert.deepInclude(error.details, { reason: "daily_spend_limit_reached", limit: "10.00", spent: "7.00" })
      yield* charge([entry(3n * dollar)], key)
      assert.strictEqual(yield* balance, 90n * dollar)
    })
  )

  it.effect("does not count payments of other keys", () =>
    Effect.gen(function* () {
      const { balance, charge } = yield* funded(100n * dollar)
      yield* charge([entry(10n * dollar)], limited(10n))
      yield* charge([entry(10n * dollar)], limited(10n))
      yield* charge([entry(10n * dollar)], { ...limited(10n), daily_spend_limit_usd: null })
      yield* charge([entry(10n * dollar)])
      assert.strictEqual(yield* balance, 60n * dollar)
    })
  )

  it.effect("counts payments of a connected app apart from those of a key", () =>
    Effect.gen(function* () {
      const { balance, charge } = yield* funded(100n * dollar)
      const app = { ...limited(10n), kind: "grant" as const }
      yield* charge([entry(10n * dollar)], app)
      assert.strictEqual((yield* Effect.flip(charge([entry(1n)], app)))._tag, "DailySpendLimitReached")
      yield* charge([entry(10n * dollar)], { ...app, kind: "api_key" })
      assert.strictEqual(yield* balance, 80n * dollar)
    })
  )

  it.effect("counts payments in stars at their price in dollars", () =>
    Effect.gen(function* () {
      const { charge } = yield* funded(1000n, "STAR")
      const key = limited(10n)
      yield* charge([entry(500n, 10n * dollar)], key)
      assert.strictEqual((yield* Effect.flip(charge([entry(1n, 20_000n)], key)))._tag, "DailySpendLimitReached")
    })
  )

  it.effect("does not count payments that were refunded on the same day", () =>
    Effect.gen(function* () {
      const { charge, refund } = yield* funded(100n * dollar)
      const key = limited(10n)
      const paid = entry(10n * dollar)
      yield* charge([paid], key)
      yield* refund({ order_id: null, payment_reference: paid.reference, reference: "r", description: "Refund" })
      yield* charge([entry(10n * dollar)], key)
    })
  )

  it.effect("starts again at midnight UTC", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T23:59:59.999Z"))
      const { charge } = yield* funded(100n * dollar)
      const key = limited(10n)
      yield* charge([entry(10n * dollar)], key)
      assert.strictEqual((yield* Effect.flip(charge([entry(1n)], key)))._tag, "DailySpendLimitReached")
      yield* TestClock.adjust("1 millis")
      yield* charge([entry(10n * dollar)], key)
    })
  )

  it.effect("is exact when one key pays from both wallets simultaneously", () =>
    Effect.gen(function* () {
      const { charge, user_id } = yield* funded(100n * dollar)
      yield* fund(user_id, 1000n, "STAR")
      const wallets = yield* Wallets
      const key = limited(10n)
      const inStars = () => wallets.charge({ user_id, currency: "STAR", spender: key, entries: [entry(1n, dollar)] })
      const attempts = Array.from({ length: 30 }, (_, index) =>
        index % 2 === 0 ? inStars() : charge([entry(dollar)], key)
      )
      const exits = yield* Effect.forEach(attempts, Effect.exit, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 10)
      const sql = yield* SqlClient.SqlClient
      const [row] =
        yield* sql`SELECT sum(amount_usd)::bigint AS spent FROM wallet_transaction WHERE api_key_id = ${key.id}`
      assert.strictEqual(row?.spent, 10n * dollar)
    })
  )
})
