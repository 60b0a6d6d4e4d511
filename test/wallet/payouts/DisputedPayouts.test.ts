import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import type { Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentReversals } from "../../../src/wallet/payments/PaymentReversals.ts"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { credit, person, services as money } from "../adjustments/MoneyTesting.ts"
import { deposited, dollar, services } from "../payments/PaymentsTesting.ts"
import { messageOf } from "../DatabaseRefusal.ts"
import * as PayoutTesting from "./PayoutTesting.ts"

const { asked, noticesOf, spend, verify } = PayoutTesting

/** An account that paid 25 dollars by card, which a dispute can take back, and 30 dollars in another way; it spent the 25. */
const paid = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const { balance, deposit, pay, user } = yield* deposited
  yield* pay()
  yield* verify(user)
  yield* Fixtures.fund(user, 30n * dollar)
  yield* spend(user, 25n * dollar)
  // The card no longer holds the money.
  yield* sql`UPDATE payment_charge SET created_at = created_at - interval '200 days' WHERE user_id = ${user}`.pipe(
    (aged) => Effect.andThen(sql`SET LOCAL session_replication_role = replica`, aged),
    sql.withTransaction
  )
  const intent = deposit.payment_intent_id
  const report = (change: Partial<Omit<Reversed, "_tag">> = {}) => {
    const whole = { reversal_id: `du_${intent}`, kind: "dispute", status: "taken", amount: null } as const
    return payments.receive(
      "card_gateway",
      gateways.reverse(intent, { charge_id: `charge_${intent}`, ...whole, ...change })
    )
  }
  const short = Effect.map(
    sql<{ short: bigint }>`SELECT claimed - held AS short FROM payment_taken_back WHERE user_id = ${user}`,
    (rows) => rows.map((row) => row.short)
  )
  return { balance, intent, report, short, user }
})

layer(Layer.mergeAll(PayoutTesting.layer, services, money))("A dispute", (it) => {
  it.effect("finds money that a customer has asked for, and it is not sent", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, report, short, user } = yield* paid
      const { id } = yield* payouts.request(asked(user, { amount: 30n * dollar }))
      assert.strictEqual(yield* balance, 0n)
      yield* report()
      assert.strictEqual(yield* balance, 5n * dollar)
      assert.deepStrictEqual(yield* short, [0n])
      assert.deepInclude(yield* settlement.find(id), { status: "declined", settled_by_name: "service" })
      const { _tag } = yield* Effect.flip(settlement.send(person("owner"), id, "SEPA 1"))
      assert.strictEqual(_tag, "PayoutMoved")
      assert.match((yield* noticesOf(user)).at(-1) ?? "", /withdrawal of \$30\.00 was declined, because a payment/)
    })
  )

  it.effect("leaves an approved withdrawal to staff, whose transfer may have left", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      for (const hasLeft of [false, true]) {
        const { balance, report, short, user } = yield* paid
        const { id } = yield* payouts.request(asked(user, { amount: 30n * dollar }))
        yield* settlement.approve(person("owner"), id)
        yield* report()
        assert.deepStrictEqual([yield* balance, yield* short], [0n, [25n * dollar]])
        assert.deepInclude(yield* settlement.find(id), { status: "approved", stop: "dispute" })
        if (hasLeft) {
          yield* PaymentReversals.use((reversals) => reversals.lift(user))
          assert.strictEqual((yield* settlement.send(person("owner"), id, "SEPA 1")).status, "sent")
          assert.deepStrictEqual([yield* balance, yield* short], [0n, [25n * dollar]])
        } else {
          yield* settlement.decline(person("owner"), id, "Your payment is disputed.")
          assert.deepStrictEqual([yield* balance, yield* short], [5n * dollar, [0n]])
        }
      }
    })
  )

  it.effect("leaves a request as it is when the wallet has enough", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, report, short, user } = yield* paid
      yield* Fixtures.fund(user, 25n * dollar)
      const { id } = yield* payouts.request(asked(user, { amount: 30n * dollar }))
      yield* report()
      assert.deepStrictEqual([yield* balance, yield* short], [0n, [0n]])
      assert.deepInclude(yield* settlement.find(id), { status: "requested", stop: "dispute" })
    })
  )

  it.effect("that takes no money yet stops an approved withdrawal, and says so", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { report, user } = yield* paid
      const { id } = yield* payouts.request(asked(user, { amount: 30n * dollar }))
      yield* settlement.approve(person("owner"), id)
      yield* report({ status: "announced" })
      assert.strictEqual((yield* settlement.find(id)).stop, "dispute")
      const { _tag } = yield* Effect.flip(settlement.send(person("owner"), id, "SEPA 1"))
      assert.strictEqual(_tag, "CustomerStopped")
      yield* PaymentReversals.use((reversals) => reversals.lift(user))
      assert.strictEqual((yield* settlement.send(person("owner"), id, "SEPA 1")).status, "sent")
    })
  )

  it.effect("gets what it did not find from a withdrawal that returns later, and gives all of it back", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const sql = yield* SqlClient.SqlClient
      const settlement = yield* PayoutSettlement
      const { balance, report, short, user } = yield* paid
      yield* spend(user, 20n * dollar)
      yield* report()
      assert.deepStrictEqual([yield* balance, yield* short], [0n, [15n * dollar]])
      // A withdrawal that was asked for while staff had lifted the dispute.
      yield* PaymentReversals.use((reversals) => reversals.lift(user))
      yield* Fixtures.fund(user, 40n * dollar)
      const { id } = yield* payouts.request(asked(user, { amount: 40n * dollar }))
      yield* sql`UPDATE payment_reversal SET lifted_at = NULL WHERE user_id = ${user}`
      yield* settlement.decline(person("owner"), id, "Your payment is disputed.")
      assert.deepStrictEqual([yield* balance, yield* short], [25n * dollar, [0n]])
      yield* report({ status: "returned" })
      assert.strictEqual(yield* balance, 50n * dollar)
    })
  )

  it.effect("gets what it did not find from a transfer that came back and was credited, and not from a gift", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { balance, report, short, user } = yield* paid
      yield* spend(user, 20n * dollar)
      yield* report()
      yield* adjustments.create(person("owner"), credit(user, { amount: 3n * dollar }))
      assert.deepStrictEqual([yield* balance, yield* short], [3n * dollar, [15n * dollar]])
      const back = { cause: "correction", amount: 20n * dollar } as const
      yield* adjustments.create(person("owner"), credit(user, back))
      assert.deepStrictEqual([yield* balance, yield* short], [8n * dollar, [0n]])
      yield* adjustments.create(person("owner"), credit(user, back))
      assert.strictEqual(yield* balance, 28n * dollar)
    })
  )

  it.effect("takes no more later than it claims, whatever a hand writes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { report, user } = yield* paid
      yield* report()
      const again = sql`
        INSERT INTO payment_reversal_debit (debit_id, payment_method, reversal_id, user_id, currency, amount, created_at)
        SELECT ${randomUUID()}, payment_method, reversal_id, user_id, currency, 1, created_at FROM payment_reversal
        WHERE user_id = ${user}`
      assert.match(messageOf(yield* Effect.flip(again)), /still claims/)
    })
  )
})
