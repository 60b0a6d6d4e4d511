import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { ConnectionStates } from "../../src/oauth/ConnectionStates.ts"
import { ConnectionStatesRepo } from "../../src/oauth/ConnectionStatesRepo.ts"

/** A repository whose reads a test completes, and whose changes a test announces. */
const controlled = () => {
  const reads: Array<(scopes: ReadonlyArray<"catalog:read" | "orders:read">) => void> = []
  let abandoned = 0
  const listeners: Array<(grant_id: string) => void> = []
  const repo = Layer.mock(ConnectionStatesRepo)({
    findLive: () =>
      Effect.callback((resume) => {
        reads.push((scopes) =>
          resume(
            Effect.sync(() =>
              Option.some({
                grant_id: "grant",
                user_id: "00000000-0000-7000-8000-000000000000" as never,
                client_id: "client",
                scopes,
                daily_spend_limit_usd: null,
                expires_at: DateTime.makeUnsafe("2030-01-01T00:00:00Z")
              })
            )
          )
        )
        return Effect.sync(() => void abandoned++)
      })
  })
  let isUpToDate = true
  const changes = Layer.mock(CredentialChanges)({
    isUpToDate: () => isUpToDate,
    subscribe: (drop) => Effect.sync(() => void listeners.push((grant_id) => drop(`grant:${grant_id}`)))
  })
  return {
    reads,
    abandoned: () => abandoned,
    change: () => listeners.forEach((changed) => changed("grant")),
    loseTouch: () => void (isUpToDate = false),
    states: Layer.provide(ConnectionStates.layerNoDeps, [repo, changes])
  }
}

const find = ConnectionStates.use((states) => states.find("connection"))
const scopes = Effect.map(find, (state) => Option.getOrThrow(state).scopes)

layer(Layer.empty)("States of connections", (it) => {
  it.effect("are read once for concurrent requests, and again after a minute", () => {
    const { reads, states } = controlled()
    return Effect.gen(function* () {
      const asking = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => find),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 1)
      reads[0]?.(["catalog:read"])
      yield* Fiber.join(asking)
      yield* TestClock.adjust("59 seconds")
      yield* find
      assert.lengthOf(reads, 1)
      yield* TestClock.adjust("1 second")
      const again = yield* Effect.forkChild(find)
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 2)
      reads[1]?.(["catalog:read"])
      yield* Fiber.join(again)
    }).pipe(Effect.provide(states))
  })

  it.effect("that change during a read are not cached, and later requests read them again", () => {
    const { change, reads, states } = controlled()
    return Effect.gen(function* () {
      const early = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      change()
      const late = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 2)
      reads[1]?.(["orders:read"])
      assert.deepStrictEqual(yield* Fiber.join(late), ["orders:read"])
      reads[0]?.(["catalog:read"])
      yield* Fiber.join(early)
      assert.deepStrictEqual(yield* scopes, ["orders:read"])
      assert.lengthOf(reads, 2)
    }).pipe(Effect.provide(states))
  })

  it.effect("are read for each request while a change may have been missed", () => {
    const { loseTouch, reads, states } = controlled()
    return Effect.gen(function* () {
      const early = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      loseTouch()
      const late = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 2)
      reads[1]?.(["orders:read"])
      assert.deepStrictEqual(yield* Fiber.join(late), ["orders:read"])
      reads[0]?.(["catalog:read"])
      yield* Fiber.join(early)
      const later = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 3)
      reads[2]?.(["orders:read"])
      assert.deepStrictEqual(yield* Fiber.join(later), ["orders:read"])
    }).pipe(Effect.provide(states))
  })

  it.effect("reach the waiting requests, even when the first request is interrupted", () => {
    const { reads, states } = controlled()
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(find)
      yield* TestClock.adjust(0)
      const second = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(first)
      reads[0]?.(["catalog:read"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["catalog:read"])
      assert.lengthOf(reads, 1)
    }).pipe(Effect.provide(states))
  })

  it.effect("are read no further when all requests that wait for the read have left", () => {
    const { abandoned, reads, states } = controlled()
    return Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.all([find, find], { concurrency: 2 }))
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual([reads.length, abandoned()], [1, 1])
      const later = yield* Effect.forkChild(scopes)
      yield* TestClock.adjust(0)
      assert.lengthOf(reads, 2)
      reads[1]?.(["orders:read"])
      assert.deepStrictEqual(yield* Fiber.join(later), ["orders:read"])
    }).pipe(Effect.provide(states))
  })
})
