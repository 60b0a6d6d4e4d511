import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoRenewal from "../../src/orders/AutoRenewal.ts"
import * as ChangeSettlement from "../../src/orders/ChangeSettlement.ts"
import * as Expiry from "../../src/orders/Expiry.ts"
import { Extensions } from "../../src/orders/Extensions.ts"
import { ProxyChanges } from "../../src/orders/ProxyChanges.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { bookedFor, changesOf, layer as domain, noticesOf, orderOf, proxy } from "./ExtensionTesting.ts"

/** Every job that renewals need, in the order that takes longest to make a mistake good. */
const jobs = Effect.andThen(Expiry.run, Effect.andThen(AutoRenewal.run, ChangeSettlement.run))

const jobsAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), jobs)

layer(domain, { timeout: "60 seconds" })("AutoRenewal", (it) => {
  it.effect("a static proxy is renewed by a month when it becomes expiring, and its owner is told", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Residential", { auto_renew: true })
      yield* jobsAfter("647 hours")
      assert.deepStrictEqual(yield* changesOf(id), [])
      yield* jobsAfter("1 hour")
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual([renewed.proxy_status, renewed.bandwidth_gb, renewed.renew_at], ["active", 100, null])
      assert.deepStrictEqual(renewed.expires_at, order.expires_at && DateTime.add(order.expires_at, { months: 1 }))
      assert.deepStrictEqual(yield* changesOf(id), [
        { kind: "append", origin: "auto_renew", status: "applied", detail: null }
      ])
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -3_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "proxy_renewed"])
    })
  )

  it.effect("a mobile proxy is renewed by the tariff it has", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Mobile", { auto_renew: true })
      yield* jobsAfter("135 hours")
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual([renewed.proxy_status, renewed.period_days], ["active", 7])
      assert.deepStrictEqual(renewed.expires_at, DateTime.add(yield* DateTime.now, { days: 7 }))
      assert.isTrue(order.expires_at !== null && renewed.expires_at !== null && renewed.expires_at > order.expires_at)
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n, -9_000_000n])
    })
  )

  it.effect("a short wallet is told of once, tried every hour, and renews as soon as it can", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true, balance: 2_000_000n })
      yield* jobsAfter("648 hours")
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
      for (let hour = 0; hour < 5; hour++) yield* jobsAfter("1 hour")
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
      assert.strictEqual(yield* Testing.balanceOf(user), 500_000n)
      yield* Testing.fund(user, 1_000_000n)
      yield* jobsAfter("59 minutes")
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "expiring")
      yield* jobsAfter("1 minute")
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual([renewed.proxy_status, renewed.renewal_failed_at], ["active", null])
      assert.strictEqual(yield* Testing.balanceOf(user), 0n)
      yield* jobsAfter("31 days")
      assert.deepStrictEqual(yield* noticesOf(user), [
        "proxy_expiring",
        "renewal_failed",
        "proxy_renewed",
        "proxy_expiring",
        "renewal_failed"
      ])
    })
  )

  it.effect("a wallet that stays short lets the proxy expire", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true, balance: 1_500_000n })
      for (const wait of ["27 days", "71 hours", "1 hour", "1 hour"] as const) yield* jobsAfter(wait)
      const { proxy_status, status } = yield* orderOf(user, id)
      assert.deepStrictEqual([status, proxy_status], ["expired", "expired"])
      assert.deepStrictEqual(yield* changesOf(id), [])
    })
  )

  it.effect("instances that run at once renew once", () =>
    Effect.gen(function* () {
      const { id } = yield* proxy("Datacenter", { auto_renew: true })
      const memory = yield* MemoryProvider
      const calls = memory.count("extend")
      yield* TestClock.adjust("648 hours")
      yield* Effect.all([Expiry.run, Expiry.run], { concurrency: 2 })
      yield* Effect.all([AutoRenewal.run, AutoRenewal.run, AutoRenewal.run], { concurrency: 3 })
      yield* Effect.all([ChangeSettlement.run, ChangeSettlement.run], { concurrency: 2 })
      assert.lengthOf(yield* changesOf(id), 1)
      assert.strictEqual(memory.count("extend"), calls + 1)
      const sql = yield* SqlClient.SqlClient
      const twice = sql`
        INSERT INTO proxy_change SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
        FROM proxy_change c WHERE order_id = ${id}
      `
      assert.strictEqual((yield* Effect.flip(twice)).reason._tag, "UniqueViolation")
    })
  )

  it.effect("switching it on while the proxy is expiring renews at once, switching it off renews no more", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter")
      const setAutoRenew = (enabled: boolean) =>
        Effect.flatMap(orderOf(user, id), (order) => Extensions.use((_) => _.setAutoRenew(order, enabled)))
      yield* jobsAfter("650 hours")
      yield* setAutoRenew(true)
      yield* setAutoRenew(false)
      yield* jobsAfter("1 minute")
      assert.deepStrictEqual(yield* changesOf(id), [])
      yield* setAutoRenew(true)
      yield* jobsAfter("1 second")
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "active")
    })
  )

  it.effect("a renewal that the provider refuses is refunded, told of once, and tried again", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      const memory = yield* MemoryProvider
      memory.nextChange("refuse", "refuse")
      yield* jobsAfter("648 hours")
      yield* jobsAfter("1 hour")
      yield* jobsAfter("1 hour")
      assert.deepStrictEqual(
        (yield* changesOf(id)).map(({ status }) => status),
        ["refused", "refused", "applied"]
      )
      assert.deepStrictEqual(yield* bookedFor(id), [
        -1_500_000n,
        -1_500_000n,
        1_500_000n,
        -1_500_000n,
        1_500_000n,
        -1_500_000n
      ])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed", "proxy_renewed"])
    })
  )

  it.effect("a proxy whose provider was switched off is not charged for", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      const off = Layer.fresh(ProxyChanges.layer).pipe(Layer.provide(Providers.layerOf()))
      yield* TestClock.adjust("648 hours")
      yield* Effect.provide(jobs, off)
      assert.lengthOf(yield* bookedFor(id), 1)
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
    })
  )
})
