import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { pace as proxySeller } from "../../../src/provider/adapters/ProxySellerClient.ts"
import * as PaceVendorCalls from "../../../src/provider/vendors/PaceVendorCalls.ts"

const patient = { ...proxySeller, patience: Duration.hours(1) }

/** Makes calls of one second each, and answers their start times in virtual seconds. */
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

describe("The pace of calls to a vendor", () => {
  it.effect("runs changes one at a time and purchases two seconds apart, and reads without waiting for them", () =>
    Effect.gen(function* () {
      const { starts } = yield* startsOf(patient, ["money", "money", "write", "money", "read", "read"])
      assert.deepStrictEqual(starts, [0, 0, 0, 2, 3, 4])
    })
  )

  it.effect("starts no more calls per minute than the vendor allows", () =>
    Effect.gen(function* () {
      const { starts } = yield* startsOf(
        { ...patient, callsPerMinute: 3 },
        Array.from({ length: 7 }, () => "write" as const)
      )
      assert.deepStrictEqual(starts, [0, 1, 2, 60, 61, 62, 120])
    })
  )

  it.effect("reserves a fifth of the calls for changes and purchases", () =>
    Effect.gen(function* () {
      const kinds = [...Array.from({ length: 12 }, () => "read" as const), "money" as const, "write" as const]
      const { starts } = yield* startsOf({ ...proxySeller, callsPerMinute: 10 }, kinds)
      assert.deepStrictEqual(starts, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    })
  )

  it.effect("does not send a call whose turn does not come in time", () =>
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

  it.effect("pauses as long as the vendor requests, but at most a minute", () =>
    Effect.gen(function* () {
      const lane = yield* PaceVendorCalls.make(patient)
      yield* lane.pause(Duration.days(1))
      const fiber = yield* Effect.forkChild(lane.run("read")(Clock.currentTimeMillis))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), 60_000)
    })
  )

  it.effect("continues with the next call after an interrupted one", () =>
    Effect.gen(function* () {
      const lane = yield* PaceVendorCalls.make(patient)
      const stuck = yield* Effect.forkChild(lane.run("write")(Effect.never))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(stuck)
      assert.strictEqual(yield* lane.run("write")(Effect.succeed("made")), "made")
    })
  )
})
