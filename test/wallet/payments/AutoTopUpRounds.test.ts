import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { customer, dollar, report, rounds, Stripe, world } from "../auto-top-up/AutoTopUpTesting.ts"
import { whilePaused } from "../../support/PauseMethod.ts"

layer(world)("AutoTopUpRounds", (it) => {
  it.effect("charges the card once when the balance falls below the threshold", () =>
    Effect.gen(function* () {
      const { balance, charges, notices, payments, spend } = yield* customer()
      yield* spend(20n * dollar)
      yield* rounds
      assert.deepStrictEqual(yield* charges, [])
      yield* spend(1n * dollar)
      yield* rounds
      yield* rounds
      assert.deepStrictEqual(yield* charges, [20])
      assert.deepStrictEqual([yield* balance, yield* payments, yield* notices], [29, "paid", "auto_top_up_made"])
    })
  )

  it.effect("charges at once when it is switched on below the threshold, and not while it is off", () =>
    Effect.gen(function* () {
      const { charges, set, spend } = yield* customer({ is_on: false })
      yield* spend(25n * dollar)
      yield* rounds
      assert.deepStrictEqual(yield* charges, [])
      yield* set({ is_on: true })
      yield* rounds
      assert.deepStrictEqual(yield* charges, [20])
    })
  )

  it.effect("waits while the operator pauses cards", () =>
    Effect.gen(function* () {
      const { charges, spend } = yield* customer()
      yield* spend(25n * dollar)
      yield* whilePaused("card_gateway", rounds)
      assert.deepStrictEqual(yield* charges, [])
      yield* TestClock.adjust("1 day")
      yield* rounds
      assert.deepStrictEqual(yield* charges, [20])
    })
  )

  it.effect("makes one charge when many instances look at one account", () =>
    Effect.gen(function* () {
      const { balance, charges, spend } = yield* customer()
      yield* spend(25n * dollar)
      yield* Effect.all(
        Array.from({ length: 8 }, () => rounds),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* charges, [20])
      assert.strictEqual(yield* balance, 25)
    })
  )

  it.effect("keeps within the limit of the month, tells it once, and continues in the next month", () =>
    Effect.gen(function* () {
      const { charges, notices, settings, spend } = yield* customer()
      for (const spent of [25n, 20n, 20n]) yield* Effect.andThen(spend(spent * dollar), rounds)
      yield* Effect.andThen(spend(1n * dollar), rounds)
      assert.deepStrictEqual(yield* charges, [20, 20])
      assert.strictEqual((yield* settings).used, 40n * dollar)
      assert.strictEqual(yield* notices, "auto_top_up_made,auto_top_up_made,auto_top_up_limit")
      yield* TestClock.adjust("31 days")
      yield* rounds
      assert.deepStrictEqual(yield* charges, [20, 20, 20])
      assert.strictEqual((yield* settings).used, 20n * dollar)
    })
  )

  it.effect("books a charge once when the answer and Stripe's call both come, in any order", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { balance, card, charges, spend } = yield* customer()
      yield* spend(25n * dollar)
      yield* rounds
      const [payment] = stripe.paid().filter(({ payment_method }) => payment_method === card)
      assert.strictEqual(yield* report("payment_intent.succeeded", payment), "duplicate")
      assert.deepStrictEqual([yield* charges, yield* balance], [[20], 25])
    })
  )
})
