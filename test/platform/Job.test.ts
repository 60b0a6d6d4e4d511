import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Job from "../../src/platform/Job.ts"

/** Starts a job of parts and counts the rounds that each part began. */
const started = Effect.fnUntraced(function* (rounds: Record<string, Effect.Effect<unknown, unknown>>) {
  const begun: Array<string> = []
  const round = (part: string) =>
    Effect.andThen(
      Effect.sync(() => begun.push(part)),
      rounds[part] ?? Effect.void
    )
  const scope = yield* Scope.make()
  const job = Job.perName("Test", Schedule.spaced("1 second"), Effect.succeed(Object.keys(rounds)), round)
  yield* Layer.buildWithScope(job, scope)
  const count = (part: string) => begun.filter((name) => name === part).length
  return { count, stop: Scope.close(scope, Exit.void) }
})

it.effect("A job logs a part that fails or dies, and runs its next round", () => {
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ logLevel, message }) => logged.push(`${logLevel} ${String(message)}`))])
  return Effect.gen(function* () {
    const { count, stop } = yield* started({
      dying: Effect.die(new Error("a fault")),
      failing: Effect.fail("no"),
      fine: Effect.void
    })
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual([count("dying"), count("failing"), count("fine")], [3, 3, 3])
    for (const part of ["dying", "failing"])
      assert.lengthOf(
        logged.filter((line) => line.startsWith(`Error Job Test of ${part} failed`)),
        3
      )
    assert.lengthOf(logged, 6)
    yield* stop
  }).pipe(Effect.provide(logger))
})

it.effect("A part that hangs delays no other part, and ends after 10 minutes", () =>
  Effect.gen(function* () {
    const { count, stop } = yield* started({ hanging: Effect.never, fine: Effect.void })
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([count("hanging"), count("fine")], [1, 5])
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(count("hanging"), 2)
    const stopped = yield* Effect.forkChild(stop)
    yield* TestClock.adjust("3 seconds")
    assert.isDefined(stopped.pollUnsafe())
  })
)

it.effect("A stop waits for the running round and begins no other", () =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<void>()
    let ended = 0
    const { count, stop } = yield* started({
      slow: Effect.andThen(
        Deferred.await(answer),
        Effect.sync(() => ended++)
      )
    })
    yield* TestClock.adjust("1 second")
    const stopping = yield* Effect.forkChild(stop)
    yield* TestClock.adjust("2 seconds")
    yield* Deferred.succeed(answer, undefined)
    yield* Effect.yieldNow
    yield* TestClock.adjust("1 second")
    assert.isDefined(stopping.pollUnsafe())
    assert.deepStrictEqual([count("slow"), ended], [1, 1])
  })
)
