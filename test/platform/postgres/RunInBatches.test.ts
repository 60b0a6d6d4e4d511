import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as RunInBatches from "../../../src/platform/postgres/RunInBatches.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

/** Squares numbers. The first batch waits for `opened`. */
const makeSquares = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<number>> = []
  const opened = yield* Deferred.make<void>()
  const square = yield* RunInBatches.make({
    run: (items: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        batches.push(items)
        if (batches.length === 1) yield* Deferred.await(opened)
        if (items.includes(13)) return yield* Effect.die(new Error("unlucky"))
        return items.map((item) => item * item)
      }),
    itemsAtMost: 4,
    concurrency: 1
  })
  return { batches, opened, square }
})

describe("Calls in batches", () => {
  it.effect("run alone when nothing runs, and together when they arrive during a batch", () =>
    Effect.gen(function* () {
      const { batches, opened, square } = yield* makeSquares
      const first = yield* Effect.forkChild(square(7))
      while (batches.length === 0) yield* Effect.yieldNow
      const others = yield* Effect.forkChild(Effect.forEach(numbers(6), square, { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      assert.deepStrictEqual(batches, [[7]])
      yield* Deferred.succeed(opened, undefined)
      assert.strictEqual(yield* Fiber.join(first), 49)
      assert.deepStrictEqual(yield* Fiber.join(others), [1, 4, 9, 16, 25, 36])
      assert.deepStrictEqual(batches, [[7], [1, 2, 3, 4], [5, 6]])
    })
  )

  it.effect("run alone when their batch fails: only the faulty one fails", () =>
    Effect.gen(function* () {
      const { batches, opened, square } = yield* makeSquares
      yield* Deferred.succeed(opened, undefined)
      const exits = yield* Effect.forEach([12, 13, 14], (n) => Effect.exit(square(n)), { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(batches, [[12, 13, 14], [12], [13], [14]])
      assert.strictEqual(yield* square(3), 9)
    })
  )

  it.effect("do not wait for a caller that has left", () =>
    Effect.gen(function* () {
      const { batches, opened, square } = yield* makeSquares
      const first = yield* Effect.forkChild(square(5))
      while (batches.length === 0) yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(opened, undefined)
      assert.strictEqual(yield* square(6), 36)
    })
  )

  it.effect("go on after a batch that throws", () =>
    Effect.gen(function* () {
      const call = yield* RunInBatches.make({
        run: ([item]: ReadonlyArray<number>) => {
          if (item === 13) throw new Error("unlucky")
          return Effect.succeed([item])
        },
        itemsAtMost: 1,
        concurrency: 1
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(call(13))))
      assert.strictEqual(yield* call(14), 14)
    })
  )
})
