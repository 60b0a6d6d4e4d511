import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as CallCountRounds from "../../src/provider/CallCountRounds.ts"
import { CallCounts, type MadeCall } from "../../src/provider/CallCounts.ts"
import { CallCountsRepo } from "../../src/provider/CallCountsRepo.ts"
import * as CallDurations from "../../src/provider/CallDurations.ts"
import { countCalls } from "../../src/provider/CountCalls.ts"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../../src/provider/ProviderErrors.ts"
import type { ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const fields = { provider: "memory", reason: "the vendor answered 500" }

const counting = (members: Partial<ProxyProvider>) =>
  Effect.map(CallCounts, (counts) => {
    const { provider } = MemoryProvider.make({ name: "memory" })
    return { counts, provider: countCalls({ ...provider, ...members }, counts) }
  })

describe("The durations of calls", () => {
  it("have quantiles that are not too low, and no more than a step too high", () => {
    const counted = CallDurations.none()
    assert.isUndefined(CallDurations.quantile(counted, 0.5))
    for (const milliseconds of [0, 12, 12, 90, 90, 90, 90, 90, 90, 4000])
      counted[CallDurations.stepOf(milliseconds)]! += 1
    assert.strictEqual(CallDurations.quantile(counted, 0.1), 1)
    assert.strictEqual(CallDurations.quantile(counted, 0.5), 100)
    assert.strictEqual(CallDurations.quantile(counted, 0.9), 100)
    assert.strictEqual(CallDurations.quantile(counted, 0.95), 5000)
    counted[CallDurations.stepOf(90_000)]! += 90
    assert.strictEqual(CallDurations.quantile(counted, 0.95), 60_000)
  })
})

layer(CallCounts.layer)("A provider whose calls are counted", (it) => {
  it.effect("answers as before; refusals are no failures", () =>
    Effect.gen(function* () {
      const { counts, provider } = yield* counting({
        get: (id) =>
          id === "refused" ? Effect.fail(new ProviderUnavailable(fields)) : Effect.delay(Effect.undefined, "80 millis"),
        provision: ({ reference }) =>
          Effect.fail(
            reference === "known" ? new ProviderRefused(fields) : new ProviderOutcomeUnknown(fields)
          ) as ReturnType<ProxyProvider["provision"]>,
        find: () => Effect.never,
        release: () => Effect.die(new Error("a fault"))
      })
      const got = yield* Effect.forkChild(provider.get("1"))
      yield* TestClock.adjust("80 millis")
      assert.isUndefined(yield* Fiber.join(got))
      assert.strictEqual((yield* Effect.flip(provider.get("refused")))._tag, "ProviderUnavailable")
      for (const [reference, tag] of [
        ["known", "ProviderRefused"],
        ["lost", "ProviderOutcomeUnknown"]
      ] as const)
        assert.strictEqual((yield* Effect.flip(provider.provision({ reference } as never)))._tag, tag)
      const late = yield* Effect.forkChild(Effect.timeoutOption(provider.find("1"), "10 seconds"))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(late)
      yield* Effect.exit(provider.release?.("1") ?? Effect.void)
      yield* provider.offers

      const taken = counts.take()
      assert.deepStrictEqual(
        taken.map(({ calls, failed, failure, operation, refused }) => [operation, calls, refused, failed, failure]),
        [
          ["get", 2, 0, 1, "the vendor answered 500"],
          ["provision", 2, 1, 1, "the vendor answered 500"],
          ["find", 1, 0, 1, "no answer in time"],
          ["release", 1, 0, 1, "the adapter failed; see the log"],
          ["offers", 1, 0, 0, null]
        ]
      )
      assert.deepStrictEqual(
        taken.map(({ durations }) => CallDurations.quantile(durations, 0.95)).slice(0, 3),
        [100, 1, 10_000]
      )
      assert.deepStrictEqual(counts.take(), [])
    })
  )

  it.effect("has the same members as before", () =>
    Effect.gen(function* () {
      const { provider } = MemoryProvider.make({ name: "memory" })
      const counted = countCalls(provider, yield* CallCounts)
      assert.sameMembers(Object.keys(counted), Object.keys(provider))
      const { addTraffic: _, balance: __, ...less } = provider
      assert.sameMembers(Object.keys(countCalls(less, yield* CallCounts)), Object.keys(less))
      const members = Object.entries(provider).filter(
        ([name, member]) => typeof member === "function" && counted[name as keyof ProxyProvider] === member
      )
      assert.deepStrictEqual(members, [])
    })
  )
})

const call: MadeCall = { provider: "memory", operation: "get", milliseconds: 40, outcome: "done" }

/** A process that has made some calls and stores their counts. */
const flushing = (...calls: ReadonlyArray<MadeCall>) =>
  Effect.gen(function* () {
    const counts = yield* CallCounts
    for (const made of calls) counts.add(made)
    yield* CallCountRounds.run
  }).pipe(Effect.provide(Layer.fresh(CallCounts.layer)))

layer(Layer.provideMerge(CallCountsRepo.layer, TestDatabase.layer))("The counts of calls", (it) => {
  it.effect("survive what a vendor writes, and a database that takes nothing for a while", () =>
    Effect.gen(function* () {
      const { forget, since } = yield* CallCountsRepo
      const start = yield* DateTime.now
      const operation = "quote"
      const failed = { ...call, operation, outcome: "failed" } as const
      const counts = yield* CallCounts
      counts.add({ ...failed, failure: `half \ud83d and \0 NUL ${"x".repeat(400)}` })
      counts.add({ ...failed, failure: `${"x".repeat(299)}\ud83d\ude00` })
      const repo = yield* CallCountsRepo
      const broken = Effect.provideService(CallCountRounds.run, CallCountsRepo, {
        ...repo,
        add: () => Effect.die(new Error("the database is away"))
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(broken)))
      counts.add({ ...call, operation })
      yield* CallCountRounds.run
      yield* CallCountRounds.run
      const found = (yield* since(start)).filter((one) => one.operation === operation)
      assert.deepStrictEqual(
        found.map(({ calls, durations, failed }) => [calls, failed, durations.reduce((sum, n) => sum + n, 0)]),
        [[3, 2, 3]]
      )
      assert.strictEqual(found[0]?.failure, `${"x".repeat(299)}\ufffd`)
      yield* forget(DateTime.add(start, { days: 1 }))
    }).pipe(Effect.provide(Layer.fresh(CallCounts.layer)))
  )

  it.effect("are summed over processes and minutes, and forgotten after two hours", () =>
    Effect.gen(function* () {
      const { since } = yield* CallCountsRepo
      const sql = yield* SqlClient.SqlClient
      const start = yield* DateTime.now
      yield* flushing(call, { ...call, milliseconds: 900, outcome: "failed", failure: "first" })
      yield* Effect.all([flushing(call, call), flushing({ ...call, operation: "find", outcome: "refused" })], {
        concurrency: "unbounded"
      })
      yield* TestClock.adjust("1 minute")
      yield* flushing({ ...call, milliseconds: 90_000, outcome: "failed", failure: "second".repeat(100) })
      yield* flushing()
      const [find, get] = yield* since(start)
      assert.deepInclude(find, { calls: 1, refused: 1, failed: 0, failure: null, failed_at: null })
      assert.deepInclude(get, { calls: 5, refused: 0, failed: 2, failure: "second".repeat(50) })
      assert.strictEqual(get?.failed_at?.epochMilliseconds, start.epochMilliseconds + 60_000)
      const { durations = [] } = get ?? {}
      assert.deepStrictEqual(
        [0.5, 0.75, 0.95].map((share) => CallDurations.quantile(durations, share)),
        [50, 1000, 60_000]
      )
      assert.lengthOf(yield* since(DateTime.add(start, { minutes: 1 })), 1)
      assert.lengthOf(yield* sql`SELECT FROM provider_calls`, 3)
      yield* TestClock.adjust("2 hours")
      yield* flushing(call)
      assert.lengthOf(yield* sql`SELECT FROM provider_calls`, 2)
    })
  )
})
