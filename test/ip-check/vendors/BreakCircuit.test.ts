import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clean, failing, instance, ip, outside, vendorOf } from "./VendorInstances.ts"

layer(outside)("The circuit breaker of a vendor", (it) => {
  it.effect("pauses a vendor for 30 seconds after five failures in a row, then one call tries it", () =>
    Effect.gen(function* () {
      let isBroken = true
      const { times, vendor } = vendorOf("a", { ask: () => (isBroken ? failing() : Effect.succeed(clean)) })
      const { statuses } = yield* instance(vendor)
      for (let call = 1; call <= 7; call++) assert.deepStrictEqual(yield* statuses, ["unavailable"])
      assert.strictEqual(times(), 5)
      yield* TestClock.adjust("29 seconds")
      yield* statuses
      assert.strictEqual(times(), 5)
      yield* TestClock.adjust("1 second")
      yield* statuses
      yield* statuses
      assert.strictEqual(times(), 6)
      isBroken = false
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([yield* statuses, yield* statuses], [["ok"], ["ok"]])
    })
  )

  it.effect("does not count unusable answers about unusual addresses", () =>
    Effect.gen(function* () {
      const { times, vendor } = vendorOf("a", { ask: () => failing({ isAnswer: true }) })
      const { canAnswer, statuses } = yield* instance(vendor)
      for (let call = 1; call <= 7; call++) assert.deepStrictEqual(yield* statuses, ["unavailable"])
      assert.deepStrictEqual([times(), yield* canAnswer(ip)], [7, true])
    })
  )

  it.effect("tells before a check that too few vendors can answer", () =>
    Effect.gen(function* () {
      const broken = ["a", "b"].map((id) => vendorOf(id, { ask: () => failing() }).vendor)
      const { canAnswer, statuses } = yield* instance(...broken, vendorOf("c").vendor)
      for (let call = 1; call <= 4; call++) yield* statuses
      assert.isTrue(yield* canAnswer(ip))
      yield* statuses
      assert.isFalse(yield* canAnswer(ip))
      yield* TestClock.adjust("30 seconds")
      assert.isTrue(yield* canAnswer(ip))
    })
  )

  it.effect("refuses other calls while one call tries the vendor", () =>
    Effect.gen(function* () {
      const tried = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      let call = 0
      const { times, vendor } = vendorOf("a", {
        ask: () =>
          ++call <= 5
            ? failing()
            : Deferred.succeed(tried, undefined).pipe(Effect.andThen(Deferred.await(released)), Effect.as(clean))
      })
      const { statuses } = yield* instance(vendor)
      yield* Effect.repeat(statuses, { times: 4 })
      yield* TestClock.adjust("30 seconds")
      const probe = yield* Effect.forkChild(statuses)
      yield* Deferred.await(tried)
      assert.deepStrictEqual(yield* statuses, ["unavailable"])
      yield* Deferred.succeed(released, undefined)
      assert.deepStrictEqual([yield* Fiber.join(probe), times()], [["ok"], 6])
    })
  )

  it.effect("starts to count again after an answer", () =>
    Effect.gen(function* () {
      let call = 0
      const { times, vendor } = vendorOf("a", { ask: () => (++call % 5 === 0 ? Effect.succeed(clean) : failing()) })
      const { statuses } = yield* instance(vendor)
      yield* Effect.repeat(statuses, { times: 11 })
      assert.strictEqual(times(), 12)
    })
  )

  it.effect("counts a time-out as a failure", () =>
    Effect.gen(function* () {
      const { times, vendor } = vendorOf("a", { ask: () => Effect.never })
      const { statuses } = yield* instance(vendor)
      for (let call = 1; call <= 6; call++) {
        const fiber = yield* Effect.forkChild(statuses)
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.join(fiber)
      }
      assert.strictEqual(times(), 5)
    })
  )

  for (const [wanted, seconds] of [
    [120, 120],
    [0, 1],
    [999_999, 3600]
  ] as const)
    it.effect(`pauses a vendor for ${seconds} seconds when it requests ${wanted}`, () =>
      Effect.gen(function* () {
        let call = 0
        const pause = Duration.seconds(wanted)
        const { times, vendor } = vendorOf("a", {
          ask: () => (++call === 1 ? failing({ pause }) : Effect.succeed(clean))
        })
        const { statuses } = yield* instance(vendor, vendorOf("b").vendor)
        assert.deepStrictEqual(yield* statuses, ["unavailable", "ok"])
        yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
        assert.deepStrictEqual(yield* statuses, ["unavailable", "ok"])
        assert.strictEqual(times(), 1)
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* statuses, ["ok", "ok"])
      })
    )

  it.effect("never pauses a vendor of the sandbox", () =>
    Effect.gen(function* () {
      const { times, vendor } = vendorOf("sandbox", { isSandbox: true, ask: () => failing() })
      const { statuses } = yield* instance(vendor)
      yield* Effect.repeat(statuses, { times: 9 })
      assert.strictEqual(times(), 10)
    })
  )
})
