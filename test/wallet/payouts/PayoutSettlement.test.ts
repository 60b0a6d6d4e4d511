import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Adjustments } from "../../../src/wallet/adjustments/Adjustments.ts"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { credit, dollar, person } from "../adjustments/MoneyTesting.ts"
import { messageOf } from "../DatabaseRefusal.ts"
import * as PayoutTesting from "./PayoutTesting.ts"

const { asked, customer, noticesOf, stop, tagOf } = PayoutTesting

layer(PayoutTesting.layer)("Staff", (it) => {
  it.effect("approve a request and say by which transfer they sent it, once each", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      const finance = person("finance")
      const { id } = yield* payouts.request(asked(user))
      assert.strictEqual(yield* tagOf(settlement.send(finance, id, "SEPA 1")), "PayoutMoved")
      yield* settlement.approve(finance, id)
      assert.strictEqual((yield* settlement.approve(finance, id)).status, "approved")
      assert.strictEqual(yield* tagOf(settlement.approve(person("owner"), id)), "PayoutMoved")
      assert.strictEqual(yield* tagOf(payouts.cancel(user, id)), "PayoutMoved")
      const sent = yield* settlement.send(finance, id, "SEPA 1")
      assert.deepInclude(sent, { status: "sent", reference: "SEPA 1", settled_by: finance.id, approved_by: finance.id })
      yield* settlement.send(finance, id, "SEPA 1")
      assert.strictEqual(yield* tagOf(settlement.send(finance, id, "SEPA 2")), "PayoutMoved")
      assert.strictEqual(yield* tagOf(settlement.decline(finance, id, "Too late")), "PayoutMoved")
      assert.strictEqual(yield* balance, 60n * dollar)
      const notices = yield* noticesOf(user)
      assert.deepStrictEqual(notices.slice(1), ["We sent $40.00 of your wallet. Reference: SEPA 1"])
      // The next request is possible.
      yield* payouts.request(asked(user))
    })
  )

  it.effect("decline a request, or an approved one, and the money returns once, for 6 decisions at once", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      const { id } = yield* payouts.request(asked(user))
      const decisions = yield* Effect.all(
        [
          ...Arr.makeBy(2, () => Effect.exit(settlement.decline(person("owner"), id, "Please name the owner."))),
          ...Arr.makeBy(2, () => Effect.exit(settlement.approve(person("owner"), id))),
          Effect.exit(payouts.cancel(user, id)),
          Effect.exit(settlement.decline(person("finance"), id, "Not possible"))
        ],
        { concurrency: "unbounded" }
      )
      assert.isAtLeast(decisions.filter(Exit.isSuccess).length, 1)
      const after = yield* settlement.find(id)
      if (after.status === "approved") yield* settlement.decline(person("finance"), id, "Not possible")
      assert.strictEqual(yield* balance, 100n * dollar)
      assert.include(["declined", "cancelled"], (yield* settlement.find(id)).status)
    })
  )

  it.effect("do not approve above their limits, nor for a stopped customer, but can decline then", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { balance, user } = yield* customer
      yield* Fixtures.fund(user, 900n * dollar)
      const { id } = yield* payouts.request(asked(user, { amount: 501n * dollar }))
      assert.strictEqual(yield* tagOf(settlement.approve(person("finance"), id)), "LimitReached")
      assert.strictEqual(yield* tagOf(settlement.approve(person("support"), id)), "LimitReached")
      yield* stop(user)
      assert.strictEqual(yield* tagOf(settlement.approve(person("owner"), id)), "CustomerStopped")
      yield* settlement.decline(person("finance"), id, "Your payment is disputed.")
      assert.strictEqual(yield* balance, 1_000n * dollar)
      assert.strictEqual((yield* noticesOf(user)).length, 2)
    })
  )

  it.effect("do not say that money is sent to a customer who was stopped after the approval", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settlement = yield* PayoutSettlement
      const { user } = yield* customer
      const owner = person("owner")
      const { id } = yield* Payouts.use((payouts) => payouts.request(asked(user)))
      yield* settlement.approve(owner, id)
      assert.isNull((yield* settlement.find(id)).stop)
      yield* stop(user)
      assert.strictEqual((yield* settlement.find(id)).stop, "restriction")
      assert.strictEqual(yield* tagOf(settlement.send(owner, id, "SEPA 1")), "CustomerStopped")
      const byHand = sql`
        UPDATE payout SET status = 'sent', reference = 'x', settled_by = 'a', settled_by_name = 'A', settled_at = created_at
        WHERE id = ${id}`
      assert.match(messageOf(yield* Effect.flip(byHand)), /stops this payout/)
      yield* sql`UPDATE wallet SET spending_blocked = false WHERE user_id = ${user}`
      yield* settlement.send(owner, id, "SEPA 1")
      // A sent withdrawal cannot be stopped.
      yield* stop(user)
      assert.isNull((yield* settlement.find(id)).stop)
    })
  )

  it.effect("do not approve money of a customer whom they credited in the last 30 days, alone or by a decision", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adjustments = yield* Adjustments
      const settlement = yield* PayoutSettlement
      const { user } = yield* customer
      const [maker, decider] = [person("finance"), person("finance")]
      const correction = { amount: 200n * dollar, cause: "correction" as const, reason_code: "wrong_charge" }
      const { record } = yield* adjustments.create(person("support"), credit(user, correction))
      assert.strictEqual(record.status, "requested")
      yield* adjustments.approve(decider, record.id)
      yield* adjustments.create(maker, credit(user))
      const { id } = yield* Payouts.use((payouts) => payouts.request(asked(user)))
      for (const one of [maker, decider]) {
        assert.strictEqual(yield* tagOf(settlement.approve(one, id)), "OwnCredit")
        const byHand = sql`
          UPDATE payout SET status = 'approved', approved_by = ${one.id}, approved_by_name = 'A', approved_at = created_at
          WHERE id = ${id}`
        assert.match(messageOf(yield* Effect.flip(byHand)), /nobody approves money that the same person gave/)
      }
      yield* TestClock.adjust("31 days")
      assert.strictEqual((yield* settlement.approve(maker, id)).status, "approved")
    })
  )

  it.effect("stay within the limit of a customer in 30 days", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts
      const settlement = yield* PayoutSettlement
      const { user } = yield* customer
      yield* Fixtures.fund(user, 3_000n * dollar)
      const pay = Effect.gen(function* () {
        const finance = person("finance")
        const { id } = yield* payouts.request(asked(user, { amount: 500n * dollar }))
        const approved = yield* Effect.exit(settlement.approve(finance, id))
        if (Exit.isSuccess(approved)) yield* settlement.send(finance, id, "SEPA")
        else yield* settlement.decline(person("owner"), id, "Not this month")
        return Exit.isSuccess(approved)
      })
      const made = yield* Effect.forEach(Arr.range(1, 5), () => pay)
      assert.deepStrictEqual(made, [true, true, true, true, false])
      yield* TestClock.adjust("31 days")
      assert.isTrue(yield* pay)
    })
  )
})
