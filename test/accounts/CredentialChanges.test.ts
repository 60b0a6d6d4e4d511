import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { CredentialChangesRepo } from "../../src/accounts/CredentialChangesRepo.ts"

const ignore = (_payload: string) => {}

/** A database that delivers every notification, until it holds them back without a sign. */
const makeDatabase = (listensAfter: Duration.Input = 0) => {
  let deliver = ignore
  let isSilent = false
  let isHanging = false
  const held: Array<string> = []
  const repo = Layer.mock(CredentialChangesRepo)({
    notify: (payload) =>
      isHanging ? Effect.never : Effect.sync(() => void (isSilent ? held.push(payload) : deliver(payload))),
    listen: ({ began, receive }) =>
      Effect.sync(() => void (deliver = receive)).pipe(
        Effect.delay(listensAfter),
        Effect.andThen(began),
        Effect.andThen(Effect.never)
      )
  })
  return {
    layer: Layer.provide(CredentialChanges.layerNoDeps, repo),
    fallSilent: () => void (isSilent = true),
    /** Answers no statement, or each one again. */
    hang: (is: boolean) => void (isHanging = is),
    /** Delivers the first notification that it held back. */
    deliverFirst: () => deliver(held[0] ?? ""),
    deliverAgain: () => void (isSilent = false)
  }
}

describe("An instance", () => {
  it.effect("answers no request before it listens, because the request would wait for a lost heartbeat", () =>
    Effect.gen(function* () {
      const { layer } = makeDatabase("5 seconds")
      const request = CredentialChanges.use((changes) =>
        Effect.andThen(changes.caughtUp, Effect.sync(changes.isUpToDate))
      )
      const waiting = yield* Effect.forkChild(Effect.provide(request, layer))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* Fiber.join(waiting))
    })
  )

  it.effect("is out of date when it has received no heartbeat for three seconds", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      const isUpToDate = Effect.sync(changes.isUpToDate)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isUpToDate)
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* isUpToDate)
      database.fallSilent()
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* isUpToDate)
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* isUpToDate)
      database.deliverAgain()
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isUpToDate)
    }).pipe(Effect.provide(database.layer))
  })

  it.effect("sends its next heartbeat although an earlier one gets no answer", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      yield* TestClock.adjust("1 second")
      database.hang(true)
      yield* TestClock.adjust("1 second")
      database.hang(false)
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(changes.isUpToDate())
      yield* TestClock.adjust("1 second")
      assert.isTrue(changes.isUpToDate())
    }).pipe(Effect.provide(database.layer))
  })

  it.effect("says once that no heartbeat comes, and again after the next silence", () => {
    const database = makeDatabase()
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const silence = () => lines.filter((line) => line.includes("delivers no notifications")).length
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(silence(), 0)
      database.fallSilent()
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(silence(), 1)
      database.deliverAgain()
      yield* TestClock.adjust("10 seconds")
      database.fallSilent()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(silence(), 2)
    }).pipe(Effect.provide(Layer.provide(database.layer, Logger.layer([logger]))))
  })

  it.effect("that cannot catch up is out of date", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      yield* TestClock.adjust("1 second")
      yield* changes.caughtUp
      assert.isTrue(changes.isUpToDate())
      database.fallSilent()
      const waiting = yield* Effect.forkChild(changes.caughtUp)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.isFalse(changes.isUpToDate())
    }).pipe(Effect.provide(database.layer))
  })

  it.effect("that could not catch up stays out of date when an earlier heartbeat arrives late", () => {
    const database = makeDatabase()
    return Effect.gen(function* () {
      const changes = yield* CredentialChanges
      yield* TestClock.adjust("1 second")
      database.fallSilent()
      yield* TestClock.adjust("1500 millis")
      const waiting = yield* Effect.forkChild(changes.caughtUp)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      database.deliverFirst()
      assert.isFalse(changes.isUpToDate())
      database.deliverAgain()
      yield* TestClock.adjust("1 second")
      assert.isTrue(changes.isUpToDate())
    }).pipe(Effect.provide(database.layer))
  })
})
