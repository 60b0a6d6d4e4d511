import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clean, failing, instance, ip, outside, vendorOf } from "./VendorInstances.ts"

layer(outside)("the breaker of a vendor", (it) => {
  it.effect("a vendor that failed five times in a row is left alone for 30 seconds, then one call tries it", () =>
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

  it.effect("answers about odd addresses leave it on for the others", () =>
    Effect.gen(function* () {
      const { times, vendor } = vendorOf("a", { ask: () => failing({ isAnswer: true }) })
      const { canAnswer, statuses } = yield* instance(vendor)
      for (let call = 1; call <= 7; call++) assert.deepStrictEqual(yield* statuses, ["unavailable"])
      assert.deepStrictEqual([times(), yield* canAnswer(ip)], [7, true])
    })
  )

  it.effect("who leaves most of them alone knows before it asks that too few can answer", () =>
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

  it.effect("while one call tries it, the others do not wait for that", () =>
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

  it.effect("an answer in between starts the count again", () =>
    Effect.gen(function* () {
      let call = 0
      const { times, vendor } = vendorOf("a", { ask: () => (++call % 5 === 0 ? Effect.succeed(clean) : failing()) })
      const { statuses } = yield* instance(vendor)
      yield* Effect.repeat(statuses, { times: 11 })
      assert.strictEqual(times(), 12)
    })
  )

  it.effect("hanging counts as failing", () =>
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
    it.effect(`a vendor that wants to be left alone for ${wanted} seconds is so for ${seconds}`, () =>
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

  it.effect("one that only pretends is never left alone", () =>
    Effect.gen(function* () {
      const { times, vendor } = vendorOf("sandbox", { pretends: true, ask: () => failing() })
      const { statuses } = yield* instance(vendor)
      yield* Effect.repeat(statuses, { times: 9 })
      assert.strictEqual(times(), 10)
    })
  )
})
