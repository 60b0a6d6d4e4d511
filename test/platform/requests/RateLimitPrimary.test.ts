import { assert, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { vi } from "vitest"
import type { Count } from "../../../src/platform/requests/RateLimitMemory.ts"
import * as RateLimitPrimary from "../../../src/platform/requests/RateLimitPrimary.ts"

/** Makes this process a worker. Its primary process counts, and a test delivers the answers. */
const makeChannel = Effect.gen(function* () {
  const answers: Array<unknown> = []
  const worker = Object.assign(new EventEmitter(), { send: (answer: unknown) => answers.push(answer) > 0 })
  const serve = yield* RateLimitPrimary.makeServe
  serve(worker as unknown as ChildProcess)
  yield* Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(process, "send").mockImplementation((uses) => worker.emit("message", uses))),
    (spy) => Effect.sync(() => spy.mockRestore())
  )
  return {
    /** Waits until the primary process has this number of answers. */
    answered: (number: number) => Effect.promise(() => vi.waitFor(() => assert.lengthOf(answers, number))),
    deliver: (index: number) => Effect.sync(() => process.emit("message", answers[index], undefined))
  }
})

const use = (count: Count, key: string, tokens: number) =>
  Effect.map(count({ key, tokens, limit: 10, refillRate: Duration.minutes(1) }), ([used]) => used)

it.effect("A worker matches each answer to its question, in any order, and ignores an answer without a question", () =>
  Effect.gen(function* () {
    const { answered, deliver } = yield* makeChannel
    const count = yield* RateLimitPrimary.make
    const first = yield* Effect.forkChild(use(count, "a", 2))
    yield* answered(1)
    const second = yield* Effect.forkChild(use(count, "b", 1))
    yield* answered(2)
    for (const index of [1, 1, 0]) yield* deliver(index)
    assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], [2, 1])
  })
)

it.effect("A worker that builds its parts again ignores the answers to the questions of the previous parts", () =>
  Effect.gen(function* () {
    const { answered, deliver } = yield* makeChannel
    const previous = yield* Scope.make()
    const before = yield* Scope.provide(RateLimitPrimary.make, previous)
    yield* Effect.forkChild(use(before, "a", 2))
    yield* answered(1)
    yield* Scope.close(previous, Exit.void)
    const count = yield* RateLimitPrimary.make
    const present = yield* Effect.forkChild(use(count, "b", 1))
    yield* answered(2)
    for (const index of [0, 1]) yield* deliver(index)
    assert.strictEqual(yield* Fiber.join(present), 1)
  })
)
