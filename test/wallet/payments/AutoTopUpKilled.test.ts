import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoTopUpRounds from "../../../src/wallet/payments/AutoTopUpRounds.ts"
import * as CardPaymentLookUps from "../../../src/wallet/payments/CardPaymentLookUps.ts"
import { customer, dollar, rounds, Stripe, world } from "../auto-top-up/AutoTopUpTesting.ts"

/** Runs a job that dies before its statement of this number; true when it came so far. */
const killedAt = Effect.fnUntraced(function* <A, E, R>(job: Effect.Effect<A, E, R>, last: number) {
  let count = 0
  const transform: Statement.Transformer = (statement) =>
    Effect.suspend(() => (++count >= last ? Effect.die(new Error("killed")) : Effect.succeed(statement)))
  yield* Effect.exit(Effect.provideService(job, Statement.CurrentTransformer, transform))
  return count >= last
})

/** Half an hour of the jobs of another instance, which sees an answer to everything. */
const afterwards = Effect.forEach(
  Array.from({ length: 10 }),
  () => Effect.andThen(TestClock.adjust("3 minutes"), rounds),
  { discard: true }
)

/** Kills a job at each of its statements, and looks at what the other instance makes of it. */
const killEverywhere = Effect.fnUntraced(function* <E, R>(job: Effect.Effect<void, E, R>, isLost: boolean) {
  const stripe = yield* Stripe
  let killed = 0
  for (let last = 1; last < 100; last++) {
    const { balance, charges, notices, settings, spend } = yield* customer()
    yield* spend(25n * dollar)
    if (isLost) {
      stripe.setWire("answer lost")
      yield* rounds
      stripe.setWire("whole")
      yield* TestClock.adjust("2 minutes")
    }
    const wasKilled = yield* killedAt(job, last)
    yield* afterwards
    assert.deepStrictEqual(yield* charges, [20], `killed at statement ${last}`)
    assert.deepStrictEqual([yield* balance, yield* notices], [25, "auto_top_up_made"], `killed at statement ${last}`)
    assert.strictEqual((yield* settings).used, 20n * dollar)
    if (!wasKilled) break
    killed = last
  }
  return killed
})

layer(world)("An automatic top-up whose process is killed", (it) => {
  it.effect(
    "charges the card once and books it once, wherever the round dies",
    () => Effect.map(killEverywhere(AutoTopUpRounds.run, false), (killed) => assert.isAbove(killed, 15)),
    60_000
  )

  it.effect(
    "charges the card once and books it once, wherever the look-up dies",
    () => Effect.map(killEverywhere(CardPaymentLookUps.run, true), (killed) => assert.isAbove(killed, 8)),
    60_000
  )
})
