import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { pace as proxySeller } from "../../../src/provider/adapters/ProxySellerClient.ts"
import * as PaceVendorCalls from "../../../src/provider/vendors/PaceVendorCalls.ts"

const patient = { ...proxySeller, patience: Duration.hours(1) }

/** Calls that take a second each; answers when each started, in virtual seconds. */
const startsOf = Effect.fnUntraced(function* (
  pace: PaceVendorCalls.Pace,
  kinds: ReadonlyArray<PaceVendorCalls.CallKind>
) {
  const lane = yield* PaceVendorCalls.make(pace)
  const starts: Array<number> = []
  const call = Effect.andThen(
    Effect.map(Clock.currentTimeMillis, (now) => void starts.push(now / 1000)),
    Effect.sleep("1 second")
  )
  const fiber = yield* Effect.forkChild(
    Effect.forEach(kinds, (kind) => Effect.result(lane.run(kind)(call)), { concurrency: "unbounded" })
  )
  yield* TestClock.adjust("1 hour")
  return { starts, results: yield* Fiber.join(fiber) }
})

describe("VendorLane", () => {
  it.effect("changes go one at a time, purchases two seconds apart, and questions wait for neither", () =>
    Effect.gen(function* () {
      const { starts } = yield* startsOf(patient, ["money", "money", "write", "money", "read", "read"])
      assert.deepStrictEqual(starts, [0, 0, 0, 2, 3, 4])
    })
  )

  it.effect("no more calls start within any minute than the vendor allows", () =>
    Effect.gen(function* () {
      const { starts } = yield* startsOf(
        { ...patient, callsPerMinute: 3 },
        Array.from({ length: 7 }, () => "write" as const)
      )
      assert.deepStrictEqual(starts, [0, 1, 2, 60, 61, 62, 120])
    })
  )

  it.effect("questions leave a fifth of the calls to changes and purchases", () =>
    Effect.gen(function* () {
      const kinds = [...Array.from({ length: 12 }, () => "read" as const), "money" as const, "write" as const]
      const { starts } = yield* startsOf({ ...proxySeller, callsPerMinute: 10 }, kinds)
      assert.deepStrictEqual(starts, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    })
  )

  it.effect("a call whose turn does not come in time is not made", () =>
    Effect.gen(function* () {
      const { results, starts } = yield* startsOf({ ...proxySeller, patience: Duration.seconds(5) }, [
        "money",
        "money",
        "money",
        "money"
      ])
      assert.deepStrictEqual(starts, [0, 2, 4])
      const [, , , last] = results
      assert.deepInclude(last?._tag === "Failure" ? last.failure : undefined, { outcome: "not_executed" })
    })
  )

  it.effect("waits as long as the vendor wants, but never more than a minute", () =>
    Effect.gen(function* () {
      const lane = yield* PaceVendorCalls.make(patient)
      yield* lane.pause(Duration.days(1))
      const fiber = yield* Effect.forkChild(lane.run("read")(Clock.currentTimeMillis))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), 60_000)
    })
  )

  it.effect("a call that is interrupted leaves the way free", () =>
    Effect.gen(function* () {
      const lane = yield* PaceVendorCalls.make(patient)
      const stuck = yield* Effect.forkChild(lane.run("write")(Effect.never))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(stuck)
      assert.strictEqual(yield* lane.run("write")(Effect.succeed("made")), "made")
    })
  )
})
