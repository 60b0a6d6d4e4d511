import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as OrphanRelease from "../../src/orders/provisioning/OrphanRelease.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import * as ProxyReleases from "../../src/orders/care/ProxyReleases.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import { bookedFor, changesOf, charged, noticesOf, orderOf, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { bought, reason, refused, services, work } from "./OrderWorkTesting.ts"

layer(services)("The end of a proxy by staff", (it) => {
  it.effect("ends a proxy at its provider and here, tells the customer, and returns nothing", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, user } = yield* proxy("Datacenter")
      const { answer } = yield* work(id, { action: "release", reason })
      assert.deepInclude(answer, { outcome: "done", status: "cancelled", proxy_status: "cancelled" })
      assert.isTrue(memory.leases.get(id)?.released)
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_ended"])
      assert.strictEqual(yield* refused(id, { action: "release", reason }), "NothingToRelease")
    })
  )

  it.effect("ends a proxy later when its provider does not answer, or the process dies, and tells it once", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, user } = yield* proxy("Datacenter")
      memory.setDown(true)
      const { answer } = yield* work(id, { action: "release", reason })
      assert.deepInclude(answer, { outcome: "pending", status: "provisioned" })
      assert.strictEqual(yield* refused(id, { action: "replace", reason }), "ProxyBusy")
      const extension = charged(id, { kind: "append", months: 1 })
      assert.strictEqual((yield* Effect.flip(extension))._tag, "ProxyBusy")
      memory.setDown(false)
      yield* TestClock.adjust("2 minutes")
      yield* ProxyReleases.run
      yield* ProxyReleases.run
      assert.strictEqual((yield* orderOf(user, id)).status, "cancelled")
      assert.isTrue(memory.leases.get(id)?.released)
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_ended"])
    })
  )

  it.effect("charges nothing for a proxy that is being ended, neither one nor many at once", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const sql = yield* SqlClient.SqlClient
      const { id, order } = yield* proxy("Datacenter", { auto_renew: true })
      const { id: other } = yield* proxy("Datacenter")
      memory.setDown(true)
      yield* work(id, { action: "release", reason })
      const { pending } = yield* ProxyChangesRepo.use((changes) => changes.knownOf([id, other]))
      assert.deepStrictEqual([...pending], [id])
      yield* sql`UPDATE proxy_order SET proxy_status = 'expiring' WHERE id = ${id}`
      yield* TestClock.adjust(
        Duration.subtract(DateTime.distance(yield* DateTime.now, order.expires_at!), Duration.hours(1))
      )
      yield* AutoRenewal.run
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      memory.setDown(false)
    })
  )

  it.effect("releases the proxy that turned up for a refunded order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, memory, user } = yield* bought("drop")
      memory.setDown(true)
      yield* TestClock.adjust("2 hours")
      yield* ProvisioningRecovery.run
      assert.strictEqual((yield* orderOf(user, id)).status, "refunded")
      const find_settles_after = memory.provider.find_settles_after
      Object.assign(memory.provider, { find_settles_after: null })
      assert.strictEqual(yield* refused(id, { action: "release", reason }), "CannotLookUp")
      Object.assign(memory.provider, { find_settles_after })
      yield* sql`UPDATE provisioning_attempt SET outcome = 'orphaned' WHERE order_id = ${id}`
      const silent = yield* work(id, { action: "release", reason })
      assert.deepInclude(silent.answer, { outcome: "refused", status: "refunded" })
      assert.match(silent.answer.detail ?? "", /did not answer/)
      memory.setDown(false)
      const offer = { external_id: "x", kind: "datacenter", country_code: "US", ip_version: "IPv4" } as const
      const terms = { protocol: "HTTP", city: null, period_days: 30, period_months: 1, bandwidth_gb: null } as const
      const expires_at = DateTime.add(yield* DateTime.now, { days: 30 })
      yield* memory.provider.provision({ reference: id, ...offer, ...terms, expires_at })
      const { answer } = yield* work(id, { action: "release", reason })
      assert.deepInclude(answer, { outcome: "done", status: "refunded" })
      assert.isTrue(memory.leases.get(id)?.released)
      const attempts = yield* sql`SELECT outcome FROM provisioning_attempt WHERE order_id = ${id}`
      assert.deepStrictEqual([...attempts], [{ outcome: "refused" }])
      yield* TestClock.adjust("1 hour")
      yield* OrphanRelease.run
      assert.strictEqual(memory.count("release", memory.leases.get(id)?.proxy.provider_proxy_id), 1)
    })
  )
})
