import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Notifications } from "../../../src/notifications/Notifications.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import type { OrderId } from "../../../src/orders/Order.ts"
import { ProxySync } from "../../../src/orders/proxies/ProxySync.ts"
import * as ProxySyncRounds from "../../../src/orders/proxies/ProxySyncRounds.ts"
import { held, waiting } from "../../support/Locks.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { pendingChange, refuseChange } from "./ManagementTesting.ts"
import { ordered, runWith, syncAfter } from "./SyncTesting.ts"

layer(Testing.layer)("Proxy sync", (it) => {
  it.effect("cancels the order of a proxy that its provider ended early", () =>
    Effect.gen(function* () {
      const { asked, id, memory, row, told } = yield* ordered({ auto_renew: true })
      memory.edit(id, { is_live: false })
      yield* syncAfter("1 hour")
      const { auto_renew, proxy_status, status } = yield* row
      assert.deepStrictEqual([status, proxy_status, auto_renew], ["cancelled", "cancelled", false])
      assert.deepStrictEqual(yield* told, [["proxy_ended", true]])
      yield* syncAfter("1 hour")
      assert.strictEqual(asked(), 1)
    })
  )

  it.effect("keeps a proxy that its provider does not know for a moment, without a notice", () =>
    Effect.gen(function* () {
      const { id, memory, row, told } = yield* ordered()
      const forgetful = { ...memory.provider, get: () => Effect.undefined }
      const missingSince = SqlClient.SqlClient.use(
        (sql) => sql<{ missing_since: Date | null }>`SELECT missing_since FROM proxy_order WHERE id = ${id}`
      )
      for (let hours = 0; hours < 3; hours++) {
        yield* TestClock.adjust("1 hour")
        yield* runWith(forgetful)
        assert.isNotNull((yield* missingSince)[0]?.missing_since)
        yield* syncAfter("30 minutes")
        assert.isNull((yield* missingSince)[0]?.missing_since)
      }
      assert.strictEqual((yield* row).status, "provisioned")
      assert.deepStrictEqual(yield* told, [])
    })
  )

  it.effect("cancels the order of a proxy that its provider does not know for an hour, with a notice", () =>
    Effect.gen(function* () {
      const { memory, row, told } = yield* ordered()
      const forgetful = { ...memory.provider, get: () => Effect.undefined }
      yield* TestClock.adjust("1 hour")
      yield* runWith(forgetful)
      for (let waited = 0; waited < 55; waited += 5) {
        yield* TestClock.adjust("5 minutes")
        yield* runWith(forgetful)
        assert.strictEqual((yield* row).status, "provisioned")
      }
      yield* TestClock.adjust("5 minutes")
      yield* runWith(forgetful)
      assert.strictEqual((yield* row).status, "cancelled")
      assert.deepStrictEqual(yield* told, [["proxy_ended", true]])
    })
  )

  it.effect("reduces the order when the provider reduces the proxy, with a notice", () =>
    Effect.gen(function* () {
      const { id, memory, row, told } = yield* ordered({ bandwidth_gb: 20 })
      const expires_at = DateTime.add(yield* DateTime.now, { days: 10 })
      memory.edit(id, { bandwidth_gb: 12, expires_at })
      yield* syncAfter("1 hour")
      yield* syncAfter("1 hour")
      const after = yield* row
      assert.deepStrictEqual([after.bandwidth_gb, after.expires_at], [12, expires_at])
      assert.deepStrictEqual(yield* told, [["proxy_reduced", true]])
    })
  )

  it.effect.each([true, false])(
    "keeps paid time while the provider may not show it yet (live: %s), then reduces the order with a notice",
    (is_live) =>
      Effect.gen(function* () {
        const { id, memory, row, told } = yield* ordered()
        const stale = (yield* row).expires_at ?? (yield* DateTime.now)
        yield* TestClock.adjust("29 days")
        const change = yield* pendingChange(id)
        const now = DateTime.toDate(yield* DateTime.now)
        const promised = DateTime.add(stale, { days: 30 })
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          UPDATE proxy_change SET status = 'applied', attempted_at = ${now}, updated_at = ${now} WHERE id = ${change}
        `
        yield* sql`
          UPDATE proxy_order SET expires_at = ${DateTime.toDate(promised)}, expiring_at = ${DateTime.toDate(promised)}
          WHERE id = ${id}
        `
        memory.edit(id, { is_live, expires_at: stale, host: "198.51.100.9" })
        yield* ProxySyncRounds.run
        yield* syncAfter("10 minutes")
        const kept = yield* row
        assert.deepStrictEqual([kept.expires_at, kept.status], [promised, "provisioned"])
        assert.strictEqual(kept.host, "198.51.100.9")
        assert.deepStrictEqual(yield* told, [])
        yield* syncAfter("10 minutes")
        const after = yield* row
        assert.deepStrictEqual(yield* told, [[is_live ? "proxy_reduced" : "proxy_ended", true]])
        assert.deepStrictEqual(
          [after.status, after.expires_at],
          is_live ? ["provisioned", stale] : ["cancelled", promised]
        )
      })
  )

  it.effect("sends no second notice of expiry when the end moves by seconds", () =>
    Effect.gen(function* () {
      const { id, memory, row, told } = yield* ordered()
      const end = (yield* row).expires_at ?? (yield* DateTime.now)
      yield* TestClock.adjust("27 days")
      yield* Expiry.run
      memory.edit(id, { expires_at: DateTime.add(end, { seconds: 30 }) })
      yield* ProxySyncRounds.run
      assert.strictEqual((yield* row).proxy_status, "expiring")
      yield* TestClock.adjust("1 minute")
      yield* Expiry.run
      assert.deepStrictEqual(yield* told, [["proxy_expiring", false]])
    })
  )

  it.effect("keeps the customer's own traffic limit when the provider sets none", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered({ bandwidth_gb: 20 })
      memory.edit(id, { bandwidth_gb: null, host: "198.51.100.9" })
      yield* syncAfter("1 hour")
      const { bandwidth_gb, host } = yield* row
      assert.deepStrictEqual([bandwidth_gb, host], [20, "198.51.100.9"])
    })
  )

  it.effect("expires a proxy whose time is over at its provider", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered()
      memory.edit(id, { is_live: false, expires_at: DateTime.add(yield* DateTime.now, { minutes: 50 }) })
      yield* syncAfter("1 hour")
      yield* Effect.provide(Expiry.run, Notifications.layer)
      const { proxy_status, status } = yield* row
      assert.deepStrictEqual([status, proxy_status], ["expired", "expired"])
    })
  )

  it.effect("makes an expiring proxy active again when the provider gives it more time", () =>
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

  it.effect("changes neither end nor traffic while a proxy change is pending", () =>
    Effect.gen(function* () {
      const { id, memory, row } = yield* ordered()
      const before = yield* row
      const ended = yield* ordered()
      const changes = [yield* pendingChange(id), yield* pendingChange(ended.id)]
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
      yield* Effect.forEach(changes, refuseChange)
      yield* syncAfter("5 minutes")
      assert.strictEqual((yield* row).bandwidth_gb, 7)
      assert.strictEqual((yield* ended.row).status, "cancelled")
    })
  )

  it.effect("lets a proxy change that is charged in the same moment come first", () =>
    Effect.gen(function* () {
      const [moved, ended] = [yield* ordered(), yield* ordered()]
      const before = yield* moved.row
      moved.memory.edit(moved.id, { expires_at: DateTime.add(yield* DateTime.now, { days: 90 }) })
      ended.memory.edit(ended.id, { is_live: false })
      yield* TestClock.adjust("1 hour")
      const sql = yield* SqlClient.SqlClient
      const charged = (id: OrderId) =>
        held(Effect.andThen(sql`SELECT FROM proxy_order WHERE id = ${id} FOR UPDATE`, pendingChange(id)))
      const charging = [yield* charged(moved.id), yield* charged(ended.id)]
      const syncing = yield* Effect.forkChild(
        Effect.all(
          [moved, ended].map(({ row }) => Effect.flatMap(row, (order) => ProxySync.use((_) => _.sync(order)))),
          { concurrency: "unbounded" }
        )
      )
      yield* waiting(2)
      for (const { open } of charging) yield* open
      for (const { running } of charging) yield* Fiber.join(running)
      yield* Fiber.join(syncing)
      assert.deepStrictEqual((yield* moved.row).expires_at, before.expires_at)
      assert.strictEqual((yield* ended.row).status, "provisioned")
      const cancelled = sql`
        UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled' WHERE id = ${ended.id}
      `
      assert.isTrue(Exit.isFailure(yield* Effect.exit(cancelled)))
    })
  )
})
