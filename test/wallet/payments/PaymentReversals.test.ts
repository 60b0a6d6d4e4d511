import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import type { Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentReversals } from "../../../src/wallet/payments/PaymentReversals.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { marginSince } from "../../support/MarginQuery.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

/** An account that paid 25 dollars, and the calls that reverse the payment. */
const paid = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const wallets = yield* Wallets
  const { balance, deposit, entries, pay, user } = yield* deposited
  yield* pay()
  const intent = deposit.payment_intent_id
  const buy = (amount: bigint) => {
    const entry = { order_id: null, reference: randomUUID(), amount, amount_usd: amount, description: "Proxy" }
    return wallets.charge({ user_id: user, currency: "USD", spender: null, entries: [entry] })
  }
  const report = (change: Partial<Omit<Reversed, "_tag">> = {}) => {
    const whole = { reversal_id: `re_${intent}`, kind: "refund", status: "taken", amount: null } as const
    const call = gateways.reverse(intent, { charge_id: `charge_${intent}`, ...whole, ...change })
    return payments.receive("card_gateway", call)
  }
  const records = Effect.map(
    sql`SELECT status, amount, debited, given_back FROM payment_reversal WHERE user_id = ${user} ORDER BY reversal_id`,
    (rows) => rows.map(({ amount, debited, given_back, status }) => `${status} ${amount} ${debited} ${given_back}`)
  )
  const isStopped = Effect.map(Effect.flip(buy(1000n * dollar)), ({ _tag }) => _tag === "PurchasesStopped")
  return { balance, buy, entries, isStopped, records, report, user }
})

const reports = (["refund", "dispute"] as const).flatMap((kind) =>
  (["taken", "returned"] as const).map((status) => ({ kind, status }))
)

const ordersOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0 ? [[]] : all.flatMap((one, at) => ordersOf(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))

layer(services)("A reversed payment", (it) => {
  it.effect("is debited once when it is reported ten times simultaneously, and the account can no longer buy", () =>
    Effect.gen(function* () {
      const { balance, isStopped, records, report } = yield* paid
      const outcomes = yield* Effect.all(
        Arr.makeBy(10, () => report()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((outcome) => outcome === "reversed").length, 1)
      assert.strictEqual(outcomes.filter((outcome) => outcome === "duplicate").length, 9)
      assert.strictEqual(yield* balance, 0n)
      assert.isTrue(yield* isStopped)
      assert.deepStrictEqual(yield* records, ["taken 25000000 25000000 0"])
    })
  )

  it.effect("debits the rest of the wallet and records the missing amount", () =>
    Effect.gen(function* () {
      const { balance, buy, entries, records, report } = yield* paid
      yield* buy(20n * dollar)
      yield* report({ kind: "dispute" })
      assert.strictEqual(yield* balance, 0n)
      assert.deepStrictEqual(yield* records, ["taken 25000000 5000000 0"])
      assert.deepInclude(yield* entries, ["completed", -5n * dollar, null])
    })
  )

  it.effect("in parts is debited once for each part, and never by more than the charge", () =>
    Effect.gen(function* () {
      const { balance, records, report } = yield* paid
      yield* report({ reversal_id: randomUUID(), amount: 10n * dollar })
      assert.strictEqual(yield* balance, 15n * dollar)
      yield* report({ reversal_id: `z${randomUUID()}`, amount: 10n * dollar })
      yield* report({ reversal_id: `zz${randomUUID()}`, kind: "dispute" })
      assert.strictEqual(yield* balance, 0n)
      assert.deepStrictEqual(yield* records, [
        "taken 10000000 10000000 0",
        "taken 10000000 10000000 0",
        "taken 25000000 5000000 0"
      ])
    })
  )

  it.effect.each([
    [["announced", "taken", "returned"], 25n],
    [["returned", "taken", "announced"], 25n],
    [["taken", "returned", "taken"], 25n],
    [["taken", "announced"], 0n],
    [["announced"], 25n]
  ] as const)("comes out the same in whichever order it is reported: %s", ([order, left]) =>
    Effect.gen(function* () {
      const { balance, isStopped, report } = yield* paid
      for (const status of order) yield* report({ kind: "dispute", status })
      assert.strictEqual(yield* balance, left * dollar)
      assert.strictEqual(yield* isStopped, !order.some((status) => status === "returned"))
    })
  )

  it.effect("is reported to the account once, with its consequences", () =>
    Effect.gen(function* () {
      const { buy, report, user } = yield* paid
      yield* buy(20n * dollar)
      const notices = Notifications.use((notifications) =>
        Effect.map(notifications.list(user, undefined, { limit: 10, offset: 0 }), (listed) =>
          listed.notifications
            .filter(({ kind }) => kind !== "deposit_credited")
            .map(({ kind, message }) => [kind, message])
            .toReversed()
        )
      )
      const stopped =
        "You cannot buy, extend or renew anything for now; your proxies keep working until they expire. Please contact support."
      for (const status of ["announced", "taken", "taken", "returned"] as const)
        yield* report({ kind: "dispute", status, reversal_id: `dp_${user}` })
      yield* report({ amount: 2n * dollar })
      assert.deepStrictEqual(yield* notices, [
        ["payment_reversed", `The payment gateway announced a dispute of your payment. ${stopped}`],
        [
          "payment_reversed",
          `$25.00 of your payment were taken back because the payment is disputed. Your wallet was debited by $5.00. ${stopped}`
        ],
        ["payment_returned", "The dispute of your payment is over. $5.00 are back in your wallet. You can buy again."],
        ["payment_reversed", `$2.00 of your payment were refunded to you. Your wallet was debited by $2.00. ${stopped}`]
      ])
      yield* report({ kind: "dispute", status: "returned", reversal_id: `dp_before_${user}` })
      assert.lengthOf(yield* notices, 4, "a reversal that ended before its first report")
    })
  )

  it.effect.each([
    ["both whole", null, null],
    ["which overlap", 10n * dollar, 20n * dollar],
    ["which do not", 10n * dollar, 15n * dollar]
  ] as const)("by a refund and a dispute %s is back as far as neither claims it, in every order", ([, ...amounts]) =>
    Effect.gen(function* () {
      for (const order of ordersOf(reports)) {
        const { balance, report, user } = yield* paid
        const taken = new Map<Reversed["kind"], bigint>()
        const returned = new Set<Reversed["kind"]>()
        for (const [at, { kind, status }] of order.entries()) {
          const amount = amounts[kind === "refund" ? 0 : 1]
          yield* report({ reversal_id: `${kind}_${user}`, kind, status, amount })
          if (status === "returned") returned.add(kind)
          if (status === "taken" && !returned.has(kind)) taken.set(kind, amount ?? 25n * dollar)
          else taken.delete(kind)
          const claimed = [...taken.values()].reduce((sum, each) => sum + each, 0n)
          const left = claimed > 25n * dollar ? 0n : 25n * dollar - claimed
          assert.strictEqual(yield* balance, left, JSON.stringify(order.slice(0, at + 1)))
        }
      }
    })
  )

  it.effect(
    "by a refund and a dispute is credited again when both are returned, with every report sent twice simultaneously",
    () =>
      Effect.gen(function* () {
        const { balance, records, report, user } = yield* paid
        yield* Effect.forEach(
          [...reports, ...reports],
          ({ kind, status }) => report({ reversal_id: `${kind}_${user}`, kind, status }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* balance, 25n * dollar)
        for (const record of yield* records) assert.match(record, /^returned /)
      })
  )

  it.effect(
    "by a dispute and a refund does not give back money that the other one claims and the wallet did not have",
    () =>
      Effect.gen(function* () {
        const { balance, buy, records, report, user } = yield* paid
        yield* buy(20n * dollar)
        const dispute = { reversal_id: `a_${user}`, kind: "dispute" } as const
        yield* report(dispute)
        yield* report({ reversal_id: `b_${user}`, amount: 3n * dollar })
        yield* report({ ...dispute, status: "returned" })
        assert.strictEqual(yield* balance, 2n * dollar)
        const told = yield* Notifications.use((notifications) =>
          notifications.list(user, undefined, { limit: 1, offset: 0 })
        )
        assert.include(told.notifications[0]?.message, "$2.00 are back in your wallet")
        yield* report({ reversal_id: `b_${user}`, status: "returned" })
        assert.strictEqual(yield* balance, 5n * dollar)
        assert.deepStrictEqual(yield* records, ["returned 25000000 5000000 2000000", "returned 3000000 0 3000000"])
      })
  )

  it.effect("stops an order that waits for its payment; the money stays in the wallet", () =>
    Effect.gen(function* () {
      const { report, user } = yield* paid
      const payments = yield* Payments
      const gateways = yield* MemoryPaymentGateways
      yield* report({ amount: dollar })
      const order = { user_id: user, purpose: "order", payment_method: "card_gateway", currency: "USD" } as const
      const request = { ...order, amount: 3n * dollar, description: "An order", items: 1 }
      assert.strictEqual((yield* Effect.flip(payments.prepare(request)))._tag, "PurchasesStopped")
      const deposit = yield* payments.prepare({ ...request, purpose: "deposit" })
      yield* payments.open(deposit)
      assert.strictEqual(yield* payments.receive("card_gateway", gateways.pay(deposit.id)), "paid")
    })
  )

  it.effect("is lifted by the operator once; a repeated report changes nothing", () =>
    Effect.gen(function* () {
      const { buy, isStopped, report, user } = yield* paid
      const reversals = yield* PaymentReversals
      yield* report({ amount: dollar })
      assert.isTrue(yield* isStopped)
      assert.include(
        (yield* reversals.open(100)).map(({ user_id }) => user_id),
        user
      )
      assert.strictEqual(yield* reversals.lift(user), 1)
      yield* report({ amount: dollar })
      yield* buy(dollar)
      assert.strictEqual(yield* reversals.lift(user), 0)
    })
  )

  it.effect("that is not on record changes nothing", () =>
    Effect.gen(function* () {
      const { balance, report } = yield* paid
      assert.strictEqual(yield* report({ charge_id: "unknown" }), "unmatched")
      assert.strictEqual(yield* balance, 25n * dollar)
    })
  )

  it.effect("cannot be written against the rules of the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { buy, report, user } = yield* paid
      yield* report({ amount: dollar })
      const reversal = sql`user_id = ${user}`
      const forged = sql`
        INSERT INTO payment_reversal (payment_method, reversal_id, charge_id, user_id, currency, kind, status, amount,
          debited, created_at, updated_at)
        SELECT payment_method, 're_forged', charge_id, user_id, currency, 'refund', 'taken', 25000001, 0, created_at,
          created_at FROM payment_charge WHERE user_id = ${user}
      `
      const attempts = [
        [/no more is taken back than came in/, forged],
        [/no reversal of its charge claims/, sql`UPDATE payment_reversal SET status = 'returned' WHERE ${reversal}`],
        [/may not go from/, sql`UPDATE payment_reversal SET debited = 0, debit_id = NULL WHERE ${reversal}`],
        [/may not go from/, sql`UPDATE payment_reversal SET status = 'announced' WHERE ${reversal}`],
        [/append-only/, sql`DELETE FROM payment_reversal WHERE ${reversal}`]
      ] as const
      for (const [refusal, attempt] of attempts)
        assert.match(String((yield* Effect.flip(attempt)).reason.cause), refusal)
      assert.strictEqual((yield* Effect.flip(buy(dollar)))._tag, "PurchasesStopped")
      const payment = sql`
        WITH w AS (UPDATE wallet SET balance = balance - 1, seq = seq + 1 WHERE user_id = ${user} AND currency = 'USD'
          RETURNING *)
        INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description,
          reference, seq, balance_before, balance_after, created_at, updated_at)
        SELECT gen_random_uuid(), user_id, id, -1, currency, 'payment', 'completed', '', 'by hand', seq, balance + 1,
          balance, updated_at, updated_at FROM w
      `
      assert.match(String((yield* Effect.flip(payment)).reason.cause), /purchases of this account are stopped/)
    })
  )

  it.effect("waits for another reversal of the same charge, so that both returns count each other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { report, user } = yield* paid
      yield* report({ reversal_id: `a_${user}` })
      yield* report({ reversal_id: `b_${user}` })
      const end = (which: string) => sql`
        UPDATE payment_reversal SET status = 'returned' WHERE reversal_id = ${`${which}_${user}`}
      `
      const impatient = Effect.andThen(sql`SET LOCAL lock_timeout = '50ms'`, end("b"))
      const elsewhere = Effect.runPromiseWith(yield* Effect.context<never>())
      const both = Effect.gen(function* () {
        yield* end("a")
        return yield* Effect.promise(() => elsewhere(Effect.flip(sql.withTransaction(impatient))))
      })
      assert.match(String((yield* sql.withTransaction(both)).reason.cause), /lock timeout/)
      assert.match(String((yield* Effect.flip(end("b"))).reason.cause), /no reversal of its charge claims/)
    })
  )
})

layer(services)("The query of the margin in docs/providers.md", (it) => {
  it.effect("loses the returned money that was spent, once for a refund and a dispute, until it comes back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const margin = sql.unsafe<Record<string, unknown>>(marginSince("1970-01-01"))
      const { buy, report } = yield* paid
      const other = yield* paid
      yield* buy(20n * dollar)
      yield* report()
      yield* report({ kind: "dispute", reversal_id: `dp_${randomUUID()}` })
      yield* other.report()
      assert.deepStrictEqual(
        [...(yield* margin)],
        [{ provider: "returned payments", sales: 1n, revenue_usd: "-20.00", margin_usd: "-20.00", without_cost: 0n }]
      )
      const own = { kind: "dispute", reversal_id: `dp_${randomUUID()}` } as const
      const won = yield* paid
      yield* won.buy(25n * dollar)
      yield* won.report(own)
      yield* won.report({ ...own, status: "returned" })
      assert.deepStrictEqual(
        (yield* margin).map((row) => row["sales"]),
        [1n]
      )
    })
  )
})
