import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { PayoutSettlement } from "../../../src/wallet/payouts/PayoutSettlement.ts"
import { killedAt } from "../../support/KilledAt.ts"
import { dollar, person } from "../adjustments/MoneyTesting.ts"
import { asked, customer, layer as services } from "./PayoutTesting.ts"

layer(services)("A withdrawal whose process is killed before any statement", (it) => {
  it.effect(
    "is asked for once: the money is in the wallet, or in the request",
    () =>
      Effect.gen(function* () {
        const payouts = yield* Payouts
        for (let last = 1; last < 60; last++) {
          const { balance, user } = yield* customer
          const request = asked(user)
          const wasKilled = yield* killedAt(payouts.request(request), last)
          assert.strictEqual(yield* balance, (wasKilled ? 100n : 60n) * dollar, `killed at statement ${last}`)
          assert.lengthOf(yield* payouts.list(user, 9), wasKilled ? 0 : 1)
          // The form that is sent again asks for what was not asked for.
          yield* payouts.request(request)
          assert.strictEqual(yield* balance, 60n * dollar)
          if (!wasKilled) return assert.isAbove(last, 8)
        }
        assert.fail("the request has too many statements")
      }),
    60_000
  )

  it.effect.each(["decline", "cancel"] as const)(
    "returns its money once: %s",
    (end) =>
      Effect.gen(function* () {
        const payouts = yield* Payouts
        const settlement = yield* PayoutSettlement
        for (let last = 1; last < 60; last++) {
          const { balance, user } = yield* customer
          const { id } = yield* payouts.request(asked(user))
          const actor = person("finance")
          const act = Effect.suspend(() =>
            end === "decline" ? settlement.decline(actor, id, "Not possible") : payouts.cancel(user, id)
          )
          const wasKilled = yield* killedAt(act, last)
          const { status } = yield* settlement.find(id)
          assert.strictEqual(yield* balance, (wasKilled ? 60n : 100n) * dollar, `killed at statement ${last}`)
          assert.strictEqual(status === "requested", wasKilled)
          yield* act
          assert.strictEqual(yield* balance, 100n * dollar)
          if (!wasKilled) return assert.isAbove(last, 4)
        }
        assert.fail("the end has too many statements")
      }),
    60_000
  )
})
