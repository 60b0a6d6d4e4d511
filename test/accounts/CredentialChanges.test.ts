import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { CredentialChangesRepo } from "../../src/accounts/CredentialChangesRepo.ts"

const nobodyHears = (_word: string) => {}

/** A database that passes every word on, until it falls silent without a sign. */
const makeDatabase = (listensAfter: Duration.Input = 0) => {
  let pass = nobodyHears
  let isSilent = false
  const held: Array<string> = []
  const repo = Layer.mock(CredentialChangesRepo)({
    say: (word) => Effect.sync(() => void (isSilent ? held.push(word) : pass(word))),
    listen: ({ began, heard }) =>
      Effect.sync(() => void (pass = heard)).pipe(
        Effect.delay(listensAfter),
        Effect.andThen(began),
        Effect.andThen(Effect.never)
      )
  })
  return {
    layer: Layer.provide(CredentialChanges.layerNoDeps, repo),
    fallSilent: () => void (isSilent = true),
    /** Passes on the first word that it kept. */
    passFirst: () => pass(held[0] ?? ""),
    speakAgain: () => void (isSilent = false)
  }
}

const now = TestClock.testClockWith((clock) => Effect.sync(() => clock.currentTimeMillisUnsafe()))

describe("An instance", () => {
  it.effect("answers no request before it listens, because the request would wait for a word that nobody hears", () =>
    Effect.gen(function* () {
      const { layer } = makeDatabase("5 seconds")
      const request = CredentialChanges.use((changes) =>
        Effect.andThen(changes.caughtUp, Effect.map(now, changes.isHeard))
      )
      const waiting = yield* Effect.forkChild(Effect.provide(request, layer))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* Fiber.join(waiting))
    })
  )

  it.effect("counts as deaf when it has not heard its own word for three seconds", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      const isHeard = Effect.map(now, changes.isHeard)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isHeard)
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* isHeard)
      database.fallSilent()
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* isHeard)
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* isHeard)
      database.speakAgain()
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isHeard)
    }).pipe(Effect.provide(database.layer))
  })

  it.effect("that cannot catch up uses nothing that it remembers", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      yield* TestClock.adjust("1 second")
      yield* changes.caughtUp
      assert.isTrue(changes.isHeard(yield* now))
      database.fallSilent()
      const waiting = yield* Effect.forkChild(changes.caughtUp)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.isFalse(changes.isHeard(yield* now))
    }).pipe(Effect.provide(database.layer))
  })

  it.effect("that could not catch up is not convinced by an earlier word that arrives late", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      yield* TestClock.adjust("1 second")
      database.fallSilent()
      yield* TestClock.adjust("1500 millis")
      const waiting = yield* Effect.forkChild(changes.caughtUp)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      database.passFirst()
      assert.isFalse(changes.isHeard(yield* now))
      database.speakAgain()
      yield* TestClock.adjust("1 second")
      assert.isTrue(changes.isHeard(yield* now))
    }).pipe(Effect.provide(database.layer))
  })
})
