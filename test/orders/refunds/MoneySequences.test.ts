import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import type { AdjustmentId } from "../../../src/wallet/adjustments/Adjustment.ts"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import * as GatewayRefundRounds from "../../../src/wallet/refunds/GatewayRefundRounds.ts"
import { Returns } from "../../../src/wallet/Returns.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import type { RefundBehaviour } from "../../support/MemoryRefunds.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { credit, newId, person } from "../../wallet/adjustments/MoneyTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

const { asked, ledger } = RefundTesting

type Step =
  | { readonly do: "buy" }
  | { readonly do: "round" }
  | {
      readonly do: "refund"
      readonly order: number
      readonly kind: "whole" | "amount" | "prorata"
      readonly cents: number
    }
  | { readonly do: "to card"; readonly order: number; readonly cents: number; readonly gateway: RefundBehaviour }
  | { readonly do: "goodwill"; readonly cents: number }
  | { readonly do: "debit"; readonly cents: number }
  | { readonly do: "revoke"; readonly credit: number }
  | { readonly do: "wait"; readonly days: number }

const cents = fc.constantFrom(1, 40, 75, 150, 151, 700)
const which = fc.nat(3)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("buy" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("refund" as const),
      order: which,
      kind: fc.constantFrom("whole", "amount", "prorata"),
      cents
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("to card" as const),
      order: which,
      cents,
      gateway: fc.constantFrom("succeeds", "waits", "refuses", "answer lost", "request lost")
    })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("goodwill" as const, "debit" as const), cents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("revoke" as const), credit: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), days: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("round" as const) }) }
)

/** A customer with 25 dollars from a card, and the effect of the steps; a refused step changes nothing. */
const customer = Effect.gen(function* () {
  const { caller, user } = yield* RefundTesting.cardBuyer
  const orders: Array<OrderId> = []
  const credits: Array<AdjustmentId> = []
  const owner = person("owner")

  const run = Effect.fnUntraced(function* (step: Step) {
    const adjustments = yield* Adjustments
    const refunds = yield* OrderRefunds
    const gateways = yield* MemoryPaymentGateways
    if (step.do === "wait") return yield* TestClock.adjust(`${step.days} days`)
    if (step.do === "round") return yield* GatewayRefundRounds.run
    if (step.do === "buy") {
      const request = yield* OrderTesting.request()
      const made = yield* OrderPlacement.use((placement) => placement.place(caller, request, randomUUID()))
      return made.orders.forEach(({ id }) => orders.push(OrderId.make(id)))
    }
    if (step.do === "goodwill" || step.do === "debit") {
      const amount = BigInt(step.cents) * 10_000n
      const change = step.do === "goodwill" ? { amount } : { amount: -amount, cause: "correction" as const }
      const { record } = yield* adjustments.create(owner, credit(user, change))
      if (step.do === "goodwill") credits.push(record.id)
      return
    }
    if (step.do === "revoke") {
      const revokes = credits.at(-1 - step.credit)
      if (revokes === undefined) return
      const reasons = { reason_code: "mistake", reason: "By mistake", customer_text: null }
      yield* adjustments.revoke(owner, { id: newId(), revokes, ...reasons })
      return
    }
    const order = orders.at(-1 - step.order)
    if (order === undefined) return
    const amount = BigInt(step.cents) * 10_000n
    const request =
      step.do === "refund"
        ? asked(order, { kind: step.kind, ...(step.kind === "amount" && { amount }) })
        : asked(order, { amount, destination: "gateway" })
    const { record } = yield* refunds.create(owner, request)
    if (step.do === "to card") gateways.refunds.next(step.gateway)
    yield* refunds.finish(record.id)
  })

  return { user, orders, run: (step: Step) => Effect.ignore(run(step)) }
})

/** The invariants that hold after every step. */
const audit = Effect.fnUntraced(function* (user: Parameters<typeof ledger>[0]) {
  const sql = yield* SqlClient.SqlClient
  const { balance } = yield* ledger(user)
  const [wallet] = yield* sql<{
    balance: bigint
  }>`SELECT balance FROM wallet WHERE user_id = ${user} AND currency = 'USD'`
  assert.strictEqual(wallet?.balance, balance, "the balance is the sum of the ledger")
  assert.isTrue(balance >= 0n)
  const paid = yield* Returns.use((returns) => returns.paidMoney(user as never, "USD"))
  assert.isTrue(paid >= 0n && paid <= balance, "paid money is a part of the balance")
  const beyond = yield* sql`
    SELECT p.id FROM wallet_transaction p JOIN wallet_transaction r ON r.refunded_transaction_id = p.id
    WHERE p.user_id = ${user} GROUP BY p.id HAVING sum(r.amount) > -p.amount
    UNION ALL
    SELECT id FROM wallet_transaction WHERE user_id = ${user} AND cause IS NOT NULL
      AND id NOT IN (SELECT transaction_id FROM wallet_adjustment WHERE transaction_id IS NOT NULL)
      AND id NOT IN (SELECT transaction_id FROM order_refund_part)
      AND id NOT IN (SELECT withdrawal_id FROM gateway_refund)
      AND id NOT IN (SELECT return_id FROM gateway_refund WHERE return_id IS NOT NULL)
    UNION ALL
    SELECT c.transaction_id FROM payment_charge c JOIN gateway_refund g USING (payment_method, charge_id)
    WHERE c.user_id = ${user} AND g.status <> 'failed' GROUP BY c.transaction_id, c.amount HAVING sum(g.amount) > c.amount
  `
  assert.deepStrictEqual(beyond, [])
})

layer(RefundTesting.layer)("Any sequence of purchases, refunds, credits and debits", (it) => {
  it.effect(
    "keeps the sum of the ledger equal to the balance, the chain intact, and every amount within its bound",
    () =>
      Effect.gen(function* () {
        type Someone = Effect.Success<typeof customer>
        type Services =
          | Effect.Services<typeof customer>
          | Effect.Services<ReturnType<Someone["run"]>>
          | Effect.Services<ReturnType<typeof audit>>
        const run = Effect.runPromiseWith(yield* Effect.context<Services>())
        const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), (steps) =>
          run(
            Effect.gen(function* () {
              const someone = yield* customer
              for (const one of steps) {
                yield* someone.run(one)
                yield* audit(someone.user)
              }
            })
          )
        )
        const seed = Math.trunc(Math.random() * 2 ** 31)
        yield* Effect.promise(() => fc.assert(property, { seed, numRuns: 25, interruptAfterTimeLimit: 60_000 }))
      }),
    120_000
  )
})
