import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookDeliveryId } from "../../src/webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { WebhookResults } from "../../src/webhooks/WebhookResults.ts"
import { type EndedAttempt, WebhookSettlement } from "../../src/webhooks/WebhookSettlement.ts"
import { answer } from "./DispatchTesting.ts"

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`

const ended = Effect.fnUntraced(function* (number: number) {
  return {
    id: WebhookDeliveryId.make(idOf(number)),
    endpoint_id: WebhookEndpointId.make(idOf(0)),
    attempt: 1,
    result: answer(200),
    ended_at: yield* DateTime.now
  }
})

const outOfReach = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("refused") }) })

type Numbers = ReadonlyArray<number>

/** Results over a scripted settlement, which returns the locked attempts. `batches` records each call. */
const started = Effect.fnUntraced(function* (settle: (numbers: Numbers) => Effect.Effect<Numbers | void>) {
  const batches: Array<Numbers> = []
  const settlement = Layer.mock(WebhookSettlement)({
    settle: <A extends EndedAttempt>(attempts: ReadonlyArray<A>) =>
      Effect.suspend(() => {
        const numbers = attempts.map(({ id }) => Number(id.slice(-12)))
        batches.push(numbers)
        return Effect.map(settle(numbers), (locked) =>
          attempts.filter((_, index) => locked?.includes(numbers[index] ?? 0))
        )
      })
  })
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(WebhookResults.layerNoDeps.pipe(Layer.provide(settlement)), scope)
  const results = yield* Effect.provide(WebhookResults, context)
  /** Attempts that end together; the fiber ends when all are on record. */
  const end = (...numbers: Numbers) =>
    Effect.forEach(numbers, (number) => Effect.flatMap(ended(number), results.settle), {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.forkChild({ startImmediately: true }))
  return { batches, end, stop: Scope.close(scope, Exit.void) }
})

it.effect("attempts that end during a settlement are settled together", () =>
  Effect.gen(function* () {
    const { batches, end } = yield* started(() => Effect.sleep("1 second"))
    const first = yield* end(1)
    yield* Effect.yieldNow
    const others = yield* end(2, 3, 4)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(first)
    assert.isUndefined(others.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(others)
    assert.deepStrictEqual(batches, [[1], [2, 3, 4]])
  })
)

it.effect("results wait while the database does not answer", () =>
  Effect.gen(function* () {
    let isDown = true
    const { batches, end } = yield* started(() => (isDown ? Effect.die(outOfReach) : Effect.void))
    const ends = yield* end(1, 2)
    yield* TestClock.adjust("10 minutes")
    assert.isUndefined(ends.pollUnsafe())
    assert.isAtMost(batches.length, 310)
    isDown = false
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(ends)
    assert.deepStrictEqual(batches.at(-1), [1, 2])
  })
)

it.effect("an attempt of a locked endpoint waits and delays no other", () =>
  Effect.gen(function* () {
    let locked = [2]
    const { batches, end } = yield* started(() => Effect.succeed(locked))
    const [one, two] = [yield* end(1), yield* end(2)]
    yield* Fiber.join(one)
    yield* TestClock.adjust("30 millis")
    yield* Fiber.join(yield* end(3))
    assert.deepStrictEqual(batches.slice(-1), [[2, 3]])
    const before = batches.length
    yield* TestClock.adjust("1 second")
    assert.strictEqual(batches.length - before, 20)
    assert.isUndefined(two.pollUnsafe())
    locked = []
    yield* TestClock.adjust("50 millis")
    yield* Fiber.join(two)
  })
)

it.effect("an attempt that cannot be settled delays no other", () =>
  Effect.gen(function* () {
    const { batches, end } = yield* started((numbers) =>
      numbers.includes(2) ? Effect.die(new Error("not fit for the database")) : Effect.void
    )
    yield* Fiber.join(yield* end(1, 2, 3))
    assert.deepStrictEqual(batches, [[1, 2, 3], [1], [2], [3]])
  })
)

it.effect("a stop settles the ended attempts", () =>
  Effect.gen(function* () {
    const { batches, end, stop } = yield* started(() => Effect.yieldNow)
    yield* end(1, 2, 3)
    yield* stop
    assert.deepStrictEqual(batches.flat(), [1, 2, 3])
  })
)

it.effect("a stop waits at most one second for the database", () =>
  Effect.gen(function* () {
    const { end, stop } = yield* started(() => Effect.never)
    yield* end(1)
    const stopped = yield* Effect.forkChild(stop, { startImmediately: true })
    yield* TestClock.adjust("999 millis")
    assert.isUndefined(stopped.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(stopped)
  })
)
