import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Scope } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookDeliveryId } from "../../src/webhooks/WebhookDelivery.ts"
import { WebhookEndpointId } from "../../src/webhooks/WebhookEndpoint.ts"
import { WebhookResults } from "../../src/webhooks/WebhookResults.ts"
import { type EndedAttempt, WebhookSettlement } from "../../src/webhooks/WebhookSettlement.ts"
import { answer } from "./DispatchTesting.ts"

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`

const ended = Effect.fnUntraced(function* (number: number) {
  const now = yield* DateTime.now
  return {
    id: WebhookDeliveryId.make(idOf(number)),
    endpoint_id: WebhookEndpointId.make(idOf(0)),
    attempt: 1,
    result: answer(200),
    ended_at: now,
    lease_ends: DateTime.add(now, { seconds: 30 })
  }
})

const outOfReach = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("refused") }) })

/** Results over a settlement that does as told; `batches` are the numbers that each of its calls had. */
const started = Effect.fnUntraced(function* (settle: (numbers: ReadonlyArray<number>) => Effect.Effect<void>) {
  const batches: Array<ReadonlyArray<number>> = []
  const settlement = Layer.mock(WebhookSettlement)({
    settle: (attempts: ReadonlyArray<EndedAttempt>) =>
      Effect.suspend(() => {
        const numbers = attempts.map(({ id }) => Number(id.slice(-12)))
        batches.push(numbers)
        return settle(numbers)
      })
  })
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(WebhookResults.layerNoDeps.pipe(Layer.provide(settlement)), scope)
  const results = yield* Effect.provide(WebhookResults, context)
  const add = (...numbers: ReadonlyArray<number>) =>
    Effect.forEach(numbers, (number) => Effect.flatMap(ended(number), results.add), { discard: true })
  return { add, batches, settled: results.settled, stop: Scope.close(scope, Exit.void) }
})

it.effect("attempts that end while others are being settled are settled together", () =>
  Effect.gen(function* () {
    const { add, batches, settled } = yield* started(() => Effect.sleep("1 second"))
    yield* add(1)
    yield* Effect.yieldNow
    yield* add(2, 3, 4)
    yield* TestClock.adjust("2 seconds")
    yield* settled
    assert.deepStrictEqual(batches, [[1], [2, 3, 4]])
  })
)

it.effect("while the database is out of reach they wait", () =>
  Effect.gen(function* () {
    let isDown = true
    const { add, batches, settled } = yield* started(() => (isDown ? Effect.die(outOfReach) : Effect.void))
    yield* add(1, 2)
    yield* TestClock.adjust("20 seconds")
    isDown = false
    yield* TestClock.adjust("2 seconds")
    yield* settled
    assert.deepStrictEqual(batches.at(-1), [1, 2])
    assert.isAtMost(batches.length, 16)
  })
)

it.effect("those that wait beyond their lease are forgotten, for they are made again", () =>
  Effect.gen(function* () {
    const { add, batches, settled } = yield* started(() => Effect.die(outOfReach))
    yield* add(1)
    yield* TestClock.adjust("29 seconds")
    const tried = batches.length
    yield* TestClock.adjust("3 seconds")
    yield* settled
    assert.isAtMost(batches.length, tried + 1)
  })
)

it.effect("one that cannot be settled does not keep back the others", () =>
  Effect.gen(function* () {
    const { add, batches, settled } = yield* started((numbers) =>
      numbers.includes(2) ? Effect.die(new Error("not fit for the database")) : Effect.void
    )
    yield* add(1, 2, 3)
    yield* settled
    assert.deepStrictEqual(batches, [[1, 2, 3], [1], [2], [3]])
  })
)

it.effect("a stop settles what has ended", () =>
  Effect.gen(function* () {
    const { add, batches, stop } = yield* started(() => Effect.yieldNow)
    yield* add(1, 2, 3)
    yield* stop
    assert.deepStrictEqual(batches.flat(), [1, 2, 3])
  })
)
