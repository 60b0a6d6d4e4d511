import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { UserId } from "../../src/accounts/User.ts"
import type { MeteredProxy } from "../../src/orders/TrafficPoints.ts"
import { TrafficUsage } from "../../src/orders/TrafficUsage.ts"
import { TrafficUsageRepo } from "../../src/orders/TrafficUsageRepo.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderErrors.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"

const user = UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11")
const now = DateTime.makeUnsafe("2026-03-10T12:34:56Z")

interface Call {
  readonly ids: ReadonlyArray<string>
  readonly since: string
}

type Traffic = NonNullable<ProxyProvider["traffic"]>

/** A provider that metered one GB for each proxy in the running hour. */
const metering = (name: string, calls: Array<Call>, answer?: Traffic): ProxyProvider => ({
  ...MemoryProvider.make({ name }).provider,
  traffic: (ids, since) => {
    calls.push({ ids, since: DateTime.formatIso(since) })
    const hour = DateTime.startOf(now, "hour")
    return answer?.(ids, since) ?? Effect.succeed(ids.map((id) => ({ provider_proxy_id: id, hour, bytes: 10n ** 9n })))
  }
})

const proxies = (provider: string, count: number, ageDays: number): ReadonlyArray<MeteredProxy> =>
  Array.from({ length: count }, (_, index) => ({
    provider,
    provider_proxy_id: `${provider}-${index}`,
    bandwidth_gb: 1,
    cycles: [DateTime.subtractDuration(now, Duration.days(ageDays))]
  }))

const summary = (owned: ReadonlyArray<MeteredProxy>, ...providers: ReadonlyArray<ProxyProvider>) =>
  TrafficUsage.use((usage) => usage.ofUser(user, "last_7d", {})).pipe(
    Effect.provide(
      TrafficUsage.layerNoDeps.pipe(
        Layer.provide([
          Layer.mock(TrafficUsageRepo)({ ofUser: () => Effect.succeed(owned) }),
          Providers.layerOf(...providers)
        ])
      )
    )
  )

const then = Layer.effectDiscard(TestClock.setTime(now.epochMilliseconds))

layer(then)("Traffic of an account", (it) => {
  it.effect("asks each provider for many proxies at once, in batches of at most a thousand", () =>
    Effect.gen(function* () {
      const calls: Array<Call> = []
      const owned = [...proxies("a", 2500, 1), ...proxies("b", 3, 1)]
      const usage = yield* summary(owned, metering("a", calls), metering("b", calls))
      assert.strictEqual(usage.summary.total_used_gb, 2503)
      assert.strictEqual(usage.points.at(-1)?.total_limit_gb, 2503)
      assert.strictEqual(calls.flatMap(({ ids }) => ids).length, 2503)
      assert.isAtMost(Math.max(...calls.map(({ ids }) => ids.length)), 1000)
      assert.isAtMost(calls.length, 6)
      assert.isTrue(calls.every(({ ids }) => new Set(ids.map((id) => id[0])).size === 1))
    })
  )

  it.effect("asks for less at once where the cycles are long, and reads short ones from the period on", () =>
    Effect.gen(function* () {
      const calls: Array<Call> = []
      yield* summary([...proxies("a", 600, 1), ...proxies("a", 600, 700)], metering("a", calls))
      const hours = ({ ids, since }: Call) =>
        ids.length * ((now.epochMilliseconds - DateTime.toEpochMillis(DateTime.makeUnsafe(since))) / 3_600_000)
      assert.isAtMost(Math.max(...calls.map(hours)), 250_000)
      assert.isAtLeast(calls.filter(({ since }) => since === "2026-03-04T00:00:00.000Z").length, 1)
    })
  )

  it.effect("counts a provider that reports no traffic, or is off, as nothing", () =>
    Effect.gen(function* () {
      const silent = MemoryProvider.make({ name: "silent", without: ["traffic"] }).provider
      const usage = yield* summary([...proxies("silent", 2, 1), ...proxies("off", 1, 1)], silent)
      assert.deepStrictEqual([usage.summary.total_used_gb, usage.points.length], [0, 7])
    })
  )

  it.effect("is unavailable when one provider fails, and after 5 seconds when one hangs", () =>
    Effect.gen(function* () {
      const owned = [...proxies("a", 1, 1), ...proxies("b", 1, 1)]
      const failing = metering("b", [], () => Effect.fail(new ProviderUnavailable({ provider: "b", reason: "down" })))
      const failed = yield* Effect.flip(summary(owned, metering("a", []), failing))
      assert.strictEqual(failed._tag, "TrafficUnavailable")
      const asked = yield* Deferred.make<void>()
      const hanging = metering("b", [], () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const fiber = yield* Effect.forkChild(Effect.flip(summary(owned, metering("a", []), hanging)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TrafficUnavailable")
    })
  )
})
