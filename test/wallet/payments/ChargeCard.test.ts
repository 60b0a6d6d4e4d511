import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentGateways } from "../../../src/wallet/gateways/PaymentGateways.ts"
import { PaymentLookUps } from "../../../src/wallet/payments/PaymentLookUps.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { customer, dollar, report, rounds, Stripe, world } from "../auto-top-up/AutoTopUpTesting.ts"

const after = (time: Parameters<typeof TestClock.adjust>[0]) => Effect.andThen(TestClock.adjust(time), rounds)

layer(world)("ChargeCard", (it) => {
  for (const wire of ["answer lost", "fails after"] as const)
    it.effect(`looks a charge up when ${wire === "fails after" ? "Stripe fails after it" : "its answer is lost"}`, () =>
      Effect.gen(function* () {
        const stripe = yield* Stripe
        const { balance, charges, notices, payments, spend } = yield* customer()
        stripe.setWire(wire)
        yield* spend(25n * dollar)
        yield* rounds
        stripe.setWire("whole")
        assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "pending", 5])
        // The balance stays low, and nothing is charged again before the outcome is known.
        yield* spend(1n * dollar)
        yield* after("1 minute")
        assert.deepStrictEqual([yield* charges, yield* payments], [[20], "pending"])
        yield* after("1 minute")
        assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "paid", 24])
        yield* after("1 day")
        assert.deepStrictEqual([yield* charges, yield* notices], [[20], "auto_top_up_made"])
      })
    )

  for (const wire of ["request lost", "fails before"] as const)
    it.effect(
      `charges again when ${wire === "request lost" ? "the request was lost" : "Stripe failed before it"}`,
      () =>
        Effect.gen(function* () {
          const stripe = yield* Stripe
          const { balance, charges, notices, payments, spend } = yield* customer()
          stripe.setWire(wire)
          yield* spend(25n * dollar)
          yield* rounds
          stripe.setWire("whole")
          yield* after("9 minutes")
          assert.deepStrictEqual([yield* charges, yield* payments], [[], "pending"])
          yield* after("5 minutes")
          assert.deepStrictEqual([yield* charges, yield* payments], [[], "failed"])
          yield* after("11 minutes")
          assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "failed,paid", 25])
          assert.strictEqual(yield* notices, "auto_top_up_made")
        })
    )

  it.effect("waits as long as Stripe does not answer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stripe = yield* Stripe
      const { balance, charges, payments, spend, user } = yield* customer()
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      stripe.setDown(true)
      yield* after("3 hours")
      yield* after("3 hours")
      assert.deepStrictEqual([yield* charges, yield* payments], [[20], "pending"])
      // A person who asks hears of it.
      const [row] = yield* sql<{ readonly id: never }>`SELECT id FROM payment_intent WHERE user_id = ${user}`
      const asked = PaymentLookUps.use(({ lookUp }) => Effect.flip(lookUp(row!.id)))
      assert.strictEqual((yield* Effect.provide(asked, PaymentLookUps.layer))._tag, "GatewaySilent")
      stripe.setDown(false)
      yield* after("1 hour")
      assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "paid", 25])
    })
  )

  it.effect("books Stripe's call while the answer is under way", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { balance, card, charges, payments, spend } = yield* customer()
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      const [payment] = stripe.paid().filter(({ payment_method }) => payment_method === card)
      assert.strictEqual(yield* report("payment_intent.succeeded", payment), "paid")
      yield* after("1 hour")
      assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20], "paid", 25])
    })
  )

  it.effect("does not charge for a payment that another process stored a while ago", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { charges, payments, spend } = yield* customer()
      yield* spend(25n * dollar)
      // The process dies after it has stored the payment.
      const gateways = yield* PaymentGateways
      yield* rounds.pipe(
        Effect.provideService(PaymentGateways, {
          get: (method) => ({ ...gateways.get(method)!, cards: undefined }) as never
        })
      )
      assert.deepStrictEqual([yield* charges, yield* payments], [[], "pending"])
      yield* after("2 minutes")
      assert.deepStrictEqual([yield* charges, yield* payments], [[], "pending"])
      yield* after("10 minutes")
      yield* after("10 minutes")
      assert.deepStrictEqual([yield* charges, yield* payments], [[20], "failed,paid"])
      assert.isEmpty(yield* sql`SELECT id FROM payment_intent WHERE card_id IS NOT NULL AND status = 'pending'`)
    })
  )

  it.effect("credits money that comes in after its payment was given up, and counts it in the month", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { balance, card, charges, notices, payments, settings, spend } = yield* customer()
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      const [payment] = stripe.paid().filter(({ payment_method }) => payment_method === card)
      // Stripe does not list the payment for a while, against its promise.
      stripe.payments.delete(payment!.id)
      yield* after("11 minutes")
      assert.strictEqual(yield* payments, "failed")
      stripe.payments.set(payment!.id, payment!)
      yield* spend(5n * dollar)
      yield* after("2 hours")
      assert.deepStrictEqual([yield* charges, yield* payments, yield* balance], [[20, 20], "failed,paid", 40])
      assert.strictEqual(yield* notices, "auto_top_up_made,deposit_credited")
      assert.strictEqual((yield* settings).used, 40n * dollar)
    })
  )

  it.effect("has no page on which a customer could pay once more", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const sql = yield* SqlClient.SqlClient
      const stripe = yield* Stripe
      const { payments: stored, spend, user } = yield* customer()
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      assert.isEmpty(yield* payments.waitingOf(user))
      const [row] = yield* sql<{ readonly id: never }>`SELECT id FROM payment_intent WHERE user_id = ${user}`
      const waiting = Option.getOrThrow(yield* payments.find(row!.id))
      assert.strictEqual((yield* Effect.exit(payments.open(waiting)))._tag, "Failure")
      assert.isFalse(yield* payments.abandon(waiting.id))
      assert.strictEqual(yield* stored, "pending")
      yield* after("1 hour")
    })
  )
})
