import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { customer, dollar, report, rounds, saveCard, Stripe, world } from "./AutoTopUpTesting.ts"

const after = (time: Parameters<typeof TestClock.adjust>[0]) => Effect.andThen(TestClock.adjust(time), rounds)

layer(world)("AutoTopUpOutcomes", (it) => {
  for (const [bank, reason] of [
    ["authentication_required", "authentication_required"],
    ["expired_card", "card_expired"],
    ["lost_card", "card_refused"]
  ] as const)
    it.effect(`switches automatic top-up off at once after ${bank}, and says so by mail`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const stripe = yield* Stripe
        const { card, charges, notices, payments, settings, spend, user } = yield* customer()
        yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
        stripe.setBank(card, bank)
        yield* spend(25n * dollar)
        yield* rounds
        yield* spend(1n * dollar)
        yield* after("2 days")
        const { is_on, stopped_by } = yield* settings
        assert.deepStrictEqual([is_on, stopped_by], [false, reason])
        assert.deepStrictEqual([yield* charges, yield* payments, yield* notices], [[], "failed", "auto_top_up_stopped"])
        const mails = yield* sql<{ readonly text: string }>`
          SELECT text FROM email_outbox WHERE to_address = ${`${user}@example.com`}
        `
        assert.lengthOf(mails, 1)
        assert.include(mails[0]!.text, "Visa •••• 4242")
        assert.include(mails[0]!.text, "https://proxies.test/app/wallet/auto-top-up")
        // Every declined payment is cancelled at Stripe, so it can bring no more money.
        assert.deepStrictEqual(
          [...stripe.payments.values()]
            .filter(({ payment_method }) => payment_method === card)
            .map(({ status }) => status),
          ["canceled"]
        )
      })
    )

  it.effect("tries a declined card three times with growing pauses, and stops", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, notices, payments, set, settings, spend } = yield* customer()
      stripe.setBank(card, "insufficient_funds")
      yield* spend(25n * dollar)
      yield* rounds
      for (const time of ["30 minutes", "29 minutes"] as const) yield* after(time)
      assert.strictEqual(yield* payments, "failed")
      yield* after("1 minute")
      assert.strictEqual(yield* payments, "failed,failed")
      yield* after("11 hours")
      assert.strictEqual(yield* payments, "failed,failed")
      yield* after("1 hour")
      yield* after("3 days")
      assert.strictEqual(yield* payments, "failed,failed,failed")
      assert.strictEqual(yield* notices, "auto_top_up_failed,auto_top_up_failed,auto_top_up_stopped")
      assert.strictEqual((yield* settings).stopped_by, "declined")
      stripe.setBank(card, "pays")
      yield* set({})
      yield* after("1 minute")
      assert.strictEqual(yield* payments, "failed,failed,failed,paid")
      const { declines, stopped_by } = yield* settings
      assert.deepStrictEqual([declines, stopped_by], [0, null])
    })
  )

  it.effect("waits a minute after a decline, however often the owner saves the settings", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, payments, set, spend } = yield* customer()
      stripe.setBank(card, "do_not_honor")
      yield* spend(25n * dollar)
      yield* rounds
      for (let times = 0; times < 3; times++) yield* Effect.andThen(set({}), rounds)
      assert.strictEqual(yield* payments, "failed")
      yield* after("1 minute")
      assert.strictEqual(yield* payments, "failed,failed")
    })
  )

  it.effect("waits this minute also after a decline that switched it off", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, payments, set, settings, spend } = yield* customer()
      stripe.setBank(card, "lost_card")
      yield* spend(25n * dollar)
      yield* rounds
      for (let times = 0; times < 3; times++) yield* Effect.andThen(set({}), rounds)
      assert.deepStrictEqual([yield* payments, (yield* settings).is_on], ["failed", true])
      yield* after("1 minute")
      assert.deepStrictEqual([yield* payments, (yield* settings).is_on], ["failed,failed", false])
    })
  )

  it.effect("waits this minute also with another card", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, payments, set, spend, user } = yield* customer()
      stripe.setBank(card, "lost_card")
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      const other = yield* saveCard(user, "1881")
      yield* set({ card_id: other.id })
      const [payment] = [...stripe.payments.values()].filter(({ payment_method }) => payment_method === card)
      assert.strictEqual(yield* report("payment_intent.payment_failed", payment), "declined")
      yield* Effect.andThen(set({ card_id: other.id }), rounds)
      assert.strictEqual(yield* payments, "failed")
      yield* after("1 minute")
      assert.strictEqual(yield* payments, "failed,paid")
    })
  )

  it.effect("tells the limit of the month once, however often the owner saves the settings", () =>
    Effect.gen(function* () {
      const { notices, set, spend } = yield* customer({ monthly_limit: 20n * dollar })
      yield* spend(25n * dollar)
      yield* rounds
      yield* spend(20n * dollar)
      yield* rounds
      const told = "auto_top_up_made,auto_top_up_limit"
      assert.strictEqual(yield* notices, told)
      for (const monthly_limit of [20n, 25n, 20n, 30n]) {
        yield* set({ monthly_limit: monthly_limit * dollar })
        yield* rounds
      }
      assert.strictEqual(yield* notices, told)
      yield* set({ monthly_limit: 40n * dollar })
      yield* rounds
      yield* spend(20n * dollar)
      yield* rounds
      assert.strictEqual(yield* notices, `${told},auto_top_up_made,auto_top_up_limit`)
    })
  )

  it.effect("learns a decline from Stripe's call when the answer is lost", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, payments, settings, spend } = yield* customer()
      stripe.setBank(card, "authentication_required")
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      const [payment] = [...stripe.payments.values()].filter(({ payment_method }) => payment_method === card)
      assert.strictEqual(yield* report("payment_intent.payment_failed", payment), "declined")
      assert.strictEqual(yield* report("payment_intent.payment_failed", payment), "ignored")
      assert.deepStrictEqual([yield* payments, (yield* settings).stopped_by], ["failed", "authentication_required"])
    })
  )

  it.effect("does not blame a card that the owner has replaced", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { card, notices, payments, set, settings, spend, user } = yield* customer()
      stripe.setBank(card, "lost_card")
      stripe.setWire("answer lost")
      yield* spend(25n * dollar)
      yield* rounds
      stripe.setWire("whole")
      const other = yield* saveCard(user, "1881")
      yield* set({ card_id: other.id })
      yield* after("3 minutes")
      yield* rounds
      assert.deepStrictEqual([yield* payments, (yield* settings).is_on, yield* notices], ["failed", true, ""])
    })
  )

  it.effect("switches automatic top-up off when its charge is disputed", () =>
    Effect.gen(function* () {
      const stripe = yield* Stripe
      const { balance, card, notices, settings, spend } = yield* customer()
      yield* spend(25n * dollar)
      yield* rounds
      const [payment] = stripe.paid().filter(({ payment_method }) => payment_method === card)
      const dispute = { id: `dp_${card}`, object: "dispute", amount: 2000, currency: "usd", status: "needs_response" }
      const outcome = yield* report("charge.dispute.created", { ...dispute, payment_intent: payment!.id })
      assert.strictEqual(outcome, "reversed")
      const { is_on, stopped_by } = yield* settings
      assert.deepStrictEqual([is_on, stopped_by, yield* balance], [false, "reversed", 5])
      assert.strictEqual(yield* notices, "auto_top_up_made,payment_reversed,auto_top_up_stopped")
      yield* after("1 day")
      assert.strictEqual(yield* balance, 5)
    })
  )
})
