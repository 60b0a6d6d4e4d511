import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Ref, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { StaffActions } from "../../src/staff/StaffActions.ts"
import { StaffId } from "../../src/staff/StaffId.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { actorOf } from "./StaffTesting.ts"

const Answer = Schema.Struct({ at: Schema.DateTimeUtcFromString, n: Schema.Int })
const person = actorOf(StaffId.make(randomUUID()), "owner")

const action = (key: string, content: Schema.Json = { amount: 5 }) => ({
  actor: person,
  key,
  operation: "credit",
  content,
  answer: Answer
})
const counting = (acted: Ref.Ref<number>) =>
  Effect.map(
    Ref.updateAndGet(acted, (n) => n + 1),
    (n) => ({ at: Schema.decodeSync(Schema.DateTimeUtcFromString)("2026-01-31T12:00:00Z"), n })
  )

layer(StaffActions.layer.pipe(Layer.provideMerge(TestDatabase.layer)))("An action with a key", (it) => {
  it.effect("acts once, whether it is repeated at once or later", () =>
    Effect.gen(function* () {
      const { once } = yield* StaffActions
      const acted = yield* Ref.make(0)
      const act = once(action(randomUUID().toUpperCase()), counting(acted))
      const outcomes = yield* Effect.all([act, act, act], { concurrency: "unbounded" })
      assert.deepStrictEqual(outcomes.map(({ replayed }) => replayed).toSorted(), [false, true, true])
      assert.isTrue(outcomes.every(({ answer }) => answer.n === 1))
      assert.deepStrictEqual([(yield* act).replayed, yield* Ref.get(acted)], [true, 1])
    })
  )

  it.effect("refuses other content, another operation and another person under the same key", () =>
    Effect.gen(function* () {
      const { once } = yield* StaffActions
      const acted = yield* Ref.make(0)
      const first = action(randomUUID())
      yield* once(first, counting(acted))
      const other = actorOf(StaffId.make(randomUUID()), "owner")
      for (const reused of [
        { ...first, content: { amount: 6 } },
        { ...first, operation: "debit" },
        { ...first, actor: other }
      ])
        assert.strictEqual((yield* Effect.flip(once(reused, counting(acted))))._tag, "ActionKeyReused")
      assert.strictEqual(yield* Ref.get(acted), 1)
    })
  )

  it.effect("frees the key when the action fails", () =>
    Effect.gen(function* () {
      const { once } = yield* StaffActions
      const acted = yield* Ref.make(0)
      const first = action(randomUUID())
      yield* Effect.flip(once(first, Effect.fail("not now")))
      assert.isFalse((yield* once(first, counting(acted))).replayed)
    })
  )
})
