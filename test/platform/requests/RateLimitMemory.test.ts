import { assert, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as RateLimitMemory from "../../../src/platform/requests/RateLimitMemory.ts"

const use = (count: RateLimitMemory.Count, key: string, tokens = 1) =>
  Effect.map(count({ key, tokens, limit: 2, refillRate: Duration.seconds(30) }), ([used]) => used)

it.effect("The memory counts uses by key until they expire, and does not store a use over the limit", () =>
  Effect.gen(function* () {
    const count = RateLimitMemory.make()
    assert.deepStrictEqual(yield* Effect.all(["a", "a", "a", "b"].map((key) => use(count, key))), [1, 2, 3, 1])
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(yield* use(count, "a"), 3)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* use(count, "a"), 1)
  })
)

it.effect("The memory gives a use back, and never counts below zero", () =>
  Effect.gen(function* () {
    const count = RateLimitMemory.make()
    yield* use(count, "a")
    yield* use(count, "a")
    yield* use(count, "a", -1)
    assert.strictEqual(yield* use(count, "a"), 2)
    yield* use(count, "b", -1)
    assert.strictEqual(yield* use(count, "b"), 1)
  })
)

it.effect("The memory removes expired keys", () =>
  Effect.gen(function* () {
    const counters = new Map()
    const count = RateLimitMemory.make(1000, counters)
    for (let n = 0; n < 500; n++) yield* use(count, `once ${n}`)
    assert.strictEqual(counters.size, 500)
    yield* TestClock.adjust("2 minutes")
    yield* use(count, "later")
    assert.deepStrictEqual([...counters.keys()], ["later"])
  })
)

it.effect("The memory removes the oldest key beyond its limit", () =>
  Effect.gen(function* () {
    const counters = new Map()
    const count = RateLimitMemory.make(3, counters)
    for (const key of ["a", "b", "c", "b", "d"]) yield* use(count, key)
    assert.deepStrictEqual([...counters.keys()], ["b", "c", "d"])
    assert.strictEqual(yield* use(count, "b"), 3)
  })
)
