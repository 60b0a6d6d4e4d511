import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { UserId } from "../../../src/accounts/User.ts"
import { TrafficUsage } from "../../../src/orders/traffic/TrafficUsage.ts"
import { type MeteredProxies, TrafficUsageRepo } from "../../../src/orders/traffic/TrafficUsageRepo.ts"
import { ProviderUnavailable } from "../../../src/provider/ProviderErrors.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"

const user = UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11")
const now = DateTime.makeUnsafe("2026-03-10T12:34:56Z")

type Ids = ReadonlyArray<string>
type Traffic = NonNullable<ProxyProvider["traffic"]>

/** A provider that metered one GB for each proxy in the running hour. */
const metering = (name: string, calls: Array<Ids>, answer?: Traffic): ProxyProvider => ({
  ...MemoryProvider.make({ name }).provider,
  traffic: (ids, window) => {
    calls.push(ids)
    const sum = { point: window.count - 1, ended_in: null, bytes: BigInt(ids.length) * 10n ** 9n }
    return answer?.(ids, window) ?? Effect.succeed([sum])
  }
})

const proxies = (provider: string, count: number, limit_gb: number | null = count): MeteredProxies => ({
  provider,
  ids: Array.from({ length: count }, (_, index) => `${provider}-${index}`),
  limit_gb
})

const summary = (owned: ReadonlyArray<MeteredProxies>, ...providers: ReadonlyArray<ProxyProvider>) =>
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
  it.effect("is read from each provider in batches of at most 5000 proxies", () =>
    Effect.gen(function* () {
      const calls: Array<Ids> = []
      const owned = [proxies("a", 12_500), proxies("b", 3)]
      const usage = yield* summary(owned, metering("a", calls), metering("b", calls))
      assert.strictEqual(usage.summary.total_used_gb, 12_503)
      assert.deepStrictEqual(
        [usage.points.at(-1)?.used_total_gb, usage.points.at(-1)?.total_limit_gb],
        [12_503, 12_503]
      )
      assert.sameMembers(
        calls.map(({ length }) => length),
        [5_000, 5_000, 2_500, 3]
      )
      assert.sameMembers(
        calls.flat(),
        owned.flatMap(({ ids }) => ids)
      )
    })
  )

  it.effect("has no limit when one proxy is unlimited, or without proxies", () =>
    Effect.gen(function* () {
      const unlimited = yield* summary([proxies("a", 2), proxies("b", 3, null)], metering("a", []), metering("b", []))
      assert.strictEqual(unlimited.points[0]?.total_limit_gb, 0)
      assert.strictEqual((yield* summary([])).points[6]?.total_limit_gb, 0)
    })
  )

  it.effect("counts a provider that reports no traffic, or is switched off, as zero", () =>
    Effect.gen(function* () {
      const silent = MemoryProvider.make({ name: "silent", without: ["traffic"] }).provider
      const usage = yield* summary([proxies("silent", 2), proxies("off", 1)], silent)
      assert.deepStrictEqual([usage.summary.total_used_gb, usage.points.length], [0, 7])
    })
  )

  it.effect("is unavailable when one provider fails, or hangs for 5 seconds", () =>
    Effect.gen(function* () {
      const owned = [proxies("a", 1), proxies("b", 1)]
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
