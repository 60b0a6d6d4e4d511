import { assert, layer } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import { ProviderOutcomeUnknown } from "../../../src/provider/ProviderErrors.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../../src/provider/ProxyProvider.ts"
import { type Behaviour, MemoryProvider } from "../../support/MemoryProvider.ts"
import { bookedFor, changesOf, charged, layer as domain, noticesOf, orderOf, proxy } from "./ProxyChangeTesting.ts"
import { settled, whileTimePasses } from "../../support/Settled.ts"

const settleAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), ProxyChangeRecovery.run)

const kinds = [
  { method: "extend", price: 3_500_000n },
  { method: "addTraffic", price: 600_000n }
] as const

type Method = (typeof kinds)[number]["method"]

/** Buys a proxy and prepares a change that its provider answers by `behaviours`; the fields observe that change. */
const changed = Effect.fnUntraced(function* (method: Method, ...behaviours: ReadonlyArray<Behaviour>) {
  const memory = yield* MemoryProvider
  const changes = yield* ProxyChanges
  const bought = yield* proxy("Residential")
  const { caller, id, order, user } = bought
  const request = (key?: string) =>
    method === "extend"
      ? Effect.map(changes.extend(caller, order, { months: 1 }, key), ({ replayed }) => ({ replayed }))
      : Effect.map(changes.addTraffic(caller, order, { bandwidth_gb: 1 }, key), ({ replayed }) => ({ replayed }))
  memory.nextChange(...behaviours)
  const calls = memory.count(method)
  return {
    ...bought,
    memory,
    request,
    outcome: (key?: string) =>
      Effect.map(Effect.result(request(key)), (result) =>
        result._tag === "Success" ? (result.success.replayed ? "replayed" : "made") : result.failure._tag
      ),
    calls: () => memory.count(method) - calls,
    status: Effect.map(changesOf(id), (changes) => changes.map(({ status }) => status).join()),
    booked: Effect.map(bookedFor(id), (amounts) => amounts.slice(1)),
    notices: noticesOf(user),
    after: orderOf(user, id)
  }
})

const providerWith = (provider: Partial<ProxyProvider>, memory: MemoryProvider["Service"]) =>
  Providers.layerOf({ ...memory.provider, ...provider })

layer(domain)("MakeProxyChange", (it) => {
  it.effect.each(kinds)("$method that times out after it worked is found, and never repeated", ({ method, price }) =>
    Effect.gen(function* () {
      const change = yield* changed(method, "time_out")
      assert.strictEqual(yield* change.outcome(), "ChangeUnsettled")
      assert.strictEqual(yield* change.status, "pending")
      assert.strictEqual(yield* change.outcome(), "ProxyBusy")
      yield* settleAfter("20 seconds")
      assert.strictEqual(yield* change.status, "applied")
      assert.deepStrictEqual([change.calls(), yield* change.booked], [1, [-price]])
      const { bandwidth_gb } = yield* change.after
      assert.strictEqual(bandwidth_gb, method === "extend" ? 100 : 51)
    })
  )

  it.effect.each(kinds)(
    "$method that was dropped is looked up until the outcome is certain, then made",
    ({ method, price }) =>
      Effect.gen(function* () {
        const change = yield* changed(method, "drop")
        assert.strictEqual(yield* change.outcome(), "ChangeUnsettled")
        yield* settleAfter("60 seconds")
        assert.deepStrictEqual([yield* change.status, change.calls()], ["pending", 1])
        yield* settleAfter("2 minutes")
        assert.deepStrictEqual([yield* change.status, change.calls()], ["applied", 2])
        assert.deepStrictEqual(yield* change.booked, [-price])
      })
  )

  it.effect.each(kinds)(
    "$method that the provider refuses is refunded immediately, without a notice",
    ({ method, price }) =>
      Effect.gen(function* () {
        const change = yield* changed(method, "refuse")
        assert.strictEqual(yield* change.outcome("key"), "ProviderSaidNo")
        assert.deepStrictEqual([yield* change.status, yield* change.booked], ["refused", [-price, price]])
        assert.deepStrictEqual(yield* change.notices, [])
        assert.strictEqual((yield* change.after).bandwidth_gb, 50)
        assert.strictEqual(yield* change.outcome("key"), "made")
        assert.deepStrictEqual(yield* change.booked, [-price, price, -price])
      })
  )

  it.effect.each(kinds)("$method at a provider that is down is refunded immediately", ({ method, price }) =>
    Effect.gen(function* () {
      const change = yield* changed(method, "unavailable")
      assert.strictEqual(yield* change.outcome(), "ProviderDown")
      assert.deepStrictEqual([yield* change.status, yield* change.booked], ["refused", [-price, price]])
      assert.deepStrictEqual(yield* change.notices, [])
    })
  )

  it.effect.each(kinds)(
    "$method at a provider that hangs is answered to a retry with the same key",
    ({ method, price }) =>
      Effect.gen(function* () {
        const change = yield* changed(method, "hang")
        const key = randomUUID()
        assert.strictEqual(yield* whileTimePasses(change.outcome(key)), "RequestStillRunning")
        // The call of the provider ends after 30 seconds; then the proxy is free.
        yield* TestClock.adjust("25 seconds")
        yield* settled
        assert.strictEqual(yield* whileTimePasses(change.outcome(key)), "replayed")
        yield* settleAfter("1 hour")
        assert.deepStrictEqual([yield* change.status, change.calls()], ["applied", 1])
        assert.deepStrictEqual(yield* change.booked, [-price])
      })
  )

  it.effect("the job makes a change that a crash left between charge and call, on any instance, once", () =>
    Effect.gen(function* () {
      const { booked, calls, caller, id, status } = yield* changed("extend")
      yield* charged(id, { kind: "append", months: 1 })
      yield* ProxyChangeRecovery.run
      assert.deepStrictEqual([yield* status, calls()], ["pending", 0])
      yield* TestClock.adjust("20 seconds")
      yield* Effect.all([ProxyChangeRecovery.run, ProxyChangeRecovery.run, ProxyChangeRecovery.run], {
        concurrency: 3
      })
      assert.deepStrictEqual([yield* status, calls()], ["applied", 1])
      assert.deepStrictEqual(yield* booked, [-3_500_000n])
      assert.strictEqual((yield* orderOf(caller.user_id, id)).bandwidth_gb, 100)
    })
  )

  it.effect("the customer gets a notice when a change fails after the request has ended", () =>
    Effect.gen(function* () {
      const { booked, id, memory, notices, status } = yield* changed("extend")
      yield* charged(id, { kind: "append", months: 1 })
      memory.nextChange("unavailable", "refuse")
      yield* settleAfter("20 seconds")
      assert.deepStrictEqual([yield* status, yield* notices], ["pending", []])
      yield* settleAfter("20 seconds")
      assert.deepStrictEqual([yield* status, yield* notices], ["refused", ["change_failed"]])
      assert.deepStrictEqual(yield* booked, [-3_500_000n, 3_500_000n])
    })
  )

  it.effect("a change that its provider never makes is refunded after 15 minutes", () =>
    Effect.gen(function* () {
      const change = yield* changed("extend", "drop")
      yield* change.outcome()
      let calls = 0
      const extend = () => {
        calls += 1
        return Effect.fail(new ProviderOutcomeUnknown({ provider: "memory", reason: "dropped" }))
      }
      const deaf = providerWith({ extend }, change.memory)
      for (let minute = 0; minute < 25; minute++)
        yield* Effect.andThen(TestClock.adjust("1 minute"), Effect.provide(ProxyChangeRecovery.run, deaf))
      assert.strictEqual(yield* change.status, "refused")
      assert.deepStrictEqual(yield* change.booked, [-3_500_000n, 3_500_000n])
      assert.deepStrictEqual(yield* change.notices, ["change_failed"])
      assert.isAbove(calls, 1)
      assert.isBelow(calls, 7)
    })
  )

  it.effect.each([
    ["is down for good", (memory: MemoryProvider["Service"]) => memory.provider],
    [
      "cannot be asked what it did",
      ({ provider }: MemoryProvider["Service"]) => ({ ...provider, find_settles_after: null })
    ],
    ["was switched off", () => undefined]
  ] as const)("a change whose provider %s is refunded after an hour", ([, providerOf]) =>
    Effect.gen(function* () {
      const change = yield* changed("addTraffic", "time_out")
      yield* change.outcome()
      const provider = providerOf(change.memory)
      const instance = provider === undefined ? Providers.layerOf() : Providers.layerOf(provider)
      change.memory.setDown(true)
      for (const wait of ["30 minutes", "29 minutes"] as const) {
        yield* TestClock.adjust(wait)
        yield* Effect.provide(ProxyChangeRecovery.run, instance)
        assert.strictEqual(yield* change.status, "pending")
      }
      yield* TestClock.adjust("2 minutes")
      yield* Effect.provide(ProxyChangeRecovery.run, instance)
      change.memory.setDown(false)
      assert.deepStrictEqual([yield* change.status, yield* change.booked], ["refused", [-600_000n, 600_000n]])
      assert.deepStrictEqual(yield* change.notices, ["change_failed"])
    })
  )

  it.effect("a defect of the adapter delays only its own change", () =>
    Effect.gen(function* () {
      const broken = yield* changed("extend", "time_out")
      yield* broken.outcome()
      const faulty = providerWith({ findChange: () => Effect.die(new Error("a fault")) }, broken.memory)
      yield* TestClock.adjust("20 seconds")
      yield* Effect.provide(ProxyChangeRecovery.run, faulty)
      assert.strictEqual(yield* broken.status, "pending")
      yield* settleAfter("20 seconds")
      assert.strictEqual(yield* broken.status, "applied")
    })
  )

  it.effect("a proxy does not expire while an extension is pending, and runs on after it", () =>
    Effect.gen(function* () {
      const change = yield* changed("extend", "time_out")
      yield* TestClock.adjust("719 hours")
      yield* Expiry.run
      assert.strictEqual((yield* change.after).proxy_status, "expiring")
      yield* change.outcome()
      yield* TestClock.adjust("2 hours")
      yield* Expiry.run
      assert.strictEqual((yield* change.after).proxy_status, "expiring")
      yield* ProxyChangeRecovery.run
      yield* Expiry.run
      const { expires_at, proxy_status } = yield* change.after
      assert.strictEqual(proxy_status, "active")
      assert.isTrue(expires_at !== null && change.order.expires_at !== null && expires_at > change.order.expires_at)
    })
  )
})
