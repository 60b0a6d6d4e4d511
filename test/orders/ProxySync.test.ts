import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import { Notifications } from "../../src/notifications/Notifications.ts"
import * as Expiry from "../../src/orders/Expiry.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { OrderPlacement } from "../../src/orders/OrderPlacement.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { ProxySync } from "../../src/orders/ProxySync.ts"
import * as ProxySyncRounds from "../../src/orders/ProxySyncRounds.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { ProxyProvider } from "../../src/provider/ProxyProvider.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { pendingChange } from "./ManagementTesting.ts"

const ordered = Effect.fnUntraced(function* (fields: object = {}) {
  const caller = yield* Testing.buyer(100_000_000n)
  const memory = yield* MemoryProvider
  const placement = yield* OrderPlacement
  const { orders } = yield* placement.place(caller, yield* Testing.request(fields), undefined)
  const id = OrderId.make(orders[0]?.id ?? "")
  const row = Orders.use((orders) => orders.get(caller.user_id, id))
  const { provider_proxy_id } = yield* row
  return { id, user_id: caller.user_id, row, memory, asked: () => memory.count("get", provider_proxy_id ?? "") }
})

const syncAfter = (wait: "1 minute" | "5 minutes" | "1 hour" | "28 days") =>
  Effect.andThen(TestClock.adjust(wait), ProxySyncRounds.run)

/** The same round with other providers. */
const runWith = (...all: ReadonlyArray<ProxyProvider>) => {
  const providers = Providers.layerOf(...all)
  const sync = Layer.fresh(ProxySync.layer).pipe(Layer.provide(providers))
  return Effect.provide(ProxySyncRounds.run, Layer.merge(sync, providers))
}

layer(Testing.layer, { timeout: "60 seconds" })("Proxy sync", (it) => {
  it.effect("brings a proxy to what its provider has, about every hour", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row } = yield* ordered()
      const before = yield* row
      const expires_at = DateTime.add(yield* DateTime.now, { days: 60 })
      const there = {
        host: "198.51.100.9",
        port: 31_000,
        username: "other",
        password: "changed",
        protocol: "SOCKS5",
        whitelisted_ips: ["192.0.2.1", "2001:db8::1"],
        bandwidth_gb: 12,
        expires_at
      } as const
      memory.edit(id, there)
      yield* ProxySyncRounds.run
      assert.deepStrictEqual([asked(), yield* row], [0, before])
      yield* syncAfter("1 hour")
      const after = yield* row
      for (const [field, value] of Object.entries(there))
        assert.deepStrictEqual(Reflect.get(after, field), value, field)
      assert.deepStrictEqual(after.expiring_at, DateTime.subtract(expires_at, { hours: 72 }))
      yield* syncAfter("1 minute")
      assert.strictEqual(asked(), 1)
      yield* syncAfter("1 hour")
      assert.strictEqual(asked(), 2)
      assert.deepStrictEqual((yield* row).updated_at, after.updated_at)
    })
  )

  it.effect("a proxy that its provider ended before its time ends its order", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row } = yield* ordered({ auto_renew: true })
      memory.edit(id, { is_live: false })
      yield* syncAfter("1 hour")
      const { auto_renew, proxy_status, status } = yield* row
      assert.deepStrictEqual([status, proxy_status, auto_renew], ["cancelled", "cancelled", false])
      yield* syncAfter("1 hour")
      assert.strictEqual(asked(), 1)
    })
  )

  it.effect("a proxy that its provider does not know any more ends its order", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered()
      const forgetful = { ...memory.provider, get: () => Effect.undefined }
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET sync_at = cycle_started_at WHERE id = ${id}`
      yield* runWith(forgetful)
      assert.strictEqual((yield* row).status, "provisioned", "it may take a moment to know what it sold")
      yield* TestClock.adjust("1 hour")
      yield* runWith(forgetful)
      assert.strictEqual((yield* row).status, "cancelled")
    })
  )

  it.effect("a proxy whose time is up at its provider expires", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered()
      memory.edit(id, { is_live: false, expires_at: DateTime.add(yield* DateTime.now, { minutes: 50 }) })
      yield* syncAfter("1 hour")
      yield* Effect.provide(Expiry.run, Notifications.layer)
      const { proxy_status, status } = yield* row
      assert.deepStrictEqual([status, proxy_status], ["expired", "expired"])
    })
  )

  it.effect("an expiring proxy that was given more time at its provider is active again", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered({ auto_renew: true })
      yield* TestClock.adjust("28 days")
      yield* Expiry.run
      assert.strictEqual((yield* row).proxy_status, "expiring")
      memory.edit(id, { expires_at: DateTime.add(yield* DateTime.now, { days: 30 }) })
      yield* ProxySyncRounds.run
      const { proxy_status, renew_at } = yield* row
      assert.deepStrictEqual([proxy_status, renew_at], ["active", null])
    })
  )

  it.effect("a provider that is down is asked again in five minutes", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row } = yield* ordered()
      memory.edit(id, { host: "198.51.100.9" })
      memory.setDown(true)
      yield* syncAfter("1 hour")
      assert.strictEqual((yield* row).status, "provisioned")
      memory.setDown(false)
      yield* syncAfter("1 minute")
      assert.strictEqual(asked(), 1)
      yield* syncAfter("5 minutes")
      assert.deepStrictEqual([asked(), (yield* row).host], [2, "198.51.100.9"])
    })
  )

  it.effect("nothing that a billed change is about is touched before the change is settled", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered()
      const before = yield* row
      const ended = yield* ordered()
      yield* pendingChange(id)
      yield* pendingChange(ended.id)
      memory.edit(id, {
        host: "198.51.100.9",
        bandwidth_gb: 7,
        expires_at: DateTime.add(yield* DateTime.now, { days: 90 })
      })
      memory.edit(ended.id, { is_live: false })
      yield* syncAfter("1 hour")
      const after = yield* row
      assert.deepStrictEqual(
        [after.host, after.bandwidth_gb, after.expires_at, after.expiring_at],
        ["198.51.100.9", before.bandwidth_gb, before.expires_at, before.expiring_at]
      )
      assert.strictEqual((yield* ended.row).status, "provisioned")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_change SET status = 'refused', detail = 'test' WHERE status = 'pending'`
      yield* syncAfter("5 minutes")
      assert.strictEqual((yield* row).bandwidth_gb, 7)
      assert.strictEqual((yield* ended.row).status, "cancelled")
    })
  )

  it.effect("a provider that hangs delays nobody else's proxies", () =>
    Effect.gen(function* () {
      const stuck = yield* ordered()
      const other = yield* ordered()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET provider = 'other' WHERE id = ${other.id}`
      const { provider } = other.memory
      other.memory.edit(other.id, { host: "198.51.100.9" })
      stuck.memory.edit(stuck.id, { host: "198.51.100.9" })
      yield* TestClock.adjust("1 hour")
      const hanging = { ...provider, get: () => Effect.never }
      const round = yield* Effect.forkChild(runWith(hanging, { ...provider, name: "other" }))
      yield* Effect.promise(() => setTimeout(150))
      assert.strictEqual((yield* other.row).host, "198.51.100.9")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(round)
      assert.strictEqual((yield* stuck.row).host, "192.0.2.10")
      yield* syncAfter("5 minutes")
      assert.strictEqual((yield* stuck.row).host, "198.51.100.9")
    })
  )

  it.effect("two instances ask for each proxy once", () =>
    Effect.gen(function* () {
      const orders = yield* Effect.all(Array.from({ length: 6 }, () => ordered()))
      yield* TestClock.adjust("1 hour")
      yield* Effect.all([ProxySyncRounds.run, ProxySyncRounds.run, ProxySyncRounds.run], { concurrency: 3 })
      assert.deepStrictEqual(
        orders.map(({ asked }) => asked()),
        orders.map(() => 1)
      )
    })
  )

  it.effect("the job comes by once a minute", () =>
    Effect.gen(function* () {
      const { asked } = yield* ordered()
      yield* TestClock.adjust("1 hour")
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => setTimeout(150))
        assert.strictEqual(asked(), 1)
      }).pipe(Effect.provide(ProxySyncRounds.layer))
    })
  )
})
