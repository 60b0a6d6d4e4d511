import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { patiently } from "../../../src/platform/postgres/DatabasePatience.ts"

const timedOut = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ cause: new Error("Connection timed out"), message: "PgConnection: no" })
})

/** Fails or dies with these errors, one after the other, and then succeeds. */
const failing = (...errors: ReadonlyArray<Effect.Effect<never, unknown>>) =>
  Effect.gen(function* () {
    const left = yield* Ref.make(errors)
    const next = Ref.modify(left, ([first, ...rest]) => [first ?? Effect.succeed("started"), rest])
    return Effect.flatten(next)
  })

describe("A start while the database does not answer", () => {
  it.effect("is tried again after a failure or a defect", () =>
    Effect.gen(function* () {
      const start = yield* failing(Effect.fail(timedOut), Effect.die(timedOut))
      const fiber = yield* Effect.forkChild(patiently(start, "the database"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "started")
    })
  )

  it.effect("gives up after a minute with a line that says what to do", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(patiently(Effect.die(timedOut), "DATABASE_URL")))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(
        (error as Error).message,
        "The database cannot be used: DATABASE_URL: no server answered within 60 seconds (Connection timed out); start again when the server runs"
      )
    })
  )

  it.effect("ends immediately with any other error", () =>
    Effect.gen(function* () {
      const start = yield* failing(Effect.die(new Error("a bug")))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(patiently(start, "the database"))))
    })
  )
})
