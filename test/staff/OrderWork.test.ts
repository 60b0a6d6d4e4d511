import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as OrphanRelease from "../../src/orders/provisioning/OrphanRelease.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import { OrderCare } from "../../src/orders/care/OrderCare.ts"
import * as ProxyReleases from "../../src/orders/care/ProxyReleases.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import { ProxyChangeId } from "../../src/orders/changes/ProxyChange.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { StaffOrderWork } from "../../src/staff/orders/StaffOrderWork.ts"
import { bookedFor, changesOf, charged, noticesOf, orderOf, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actor, eventsOf, reason, refused, services, work } from "./OrderWorkTesting.ts"

/** Buys a proxy whose first call has this outcome. */
const bought = Effect.fnUntraced(function* (behaviour: "unavailable" | "drop" | "time_out" | "succeed") {
  const memory = yield* MemoryProvider
  memory.next(behaviour)
  return { ...(yield* proxy("Datacenter")), memory }
})

layer(services)("The work of staff on an order", (it) => {
  it.effect("tries a paid order again at once, once for a key", () =>
    Effect.gen(function* () {
      const { id, memory, user } = yield* bought("unavailable")
      const by = yield* actor()
      const key = randomUUID()
      const desk = yield* StaffOrderWork
      const first = yield* desk.work(by, key, id, { action: "retry", reason })
      assert.deepInclude(first.answer, { outcome: "done", status: "provisioned", action: "retry" })
      const again = yield* desk.work(by, key, id, { action: "retry", reason })
      assert.deepStrictEqual([again.replayed, again.answer.status], [true, "provisioned"])
      assert.strictEqual(memory.count("provision", id), 2)
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual([...(yield* eventsOf(id))], [{ outcome: "done", reason, kind: "retry" }])
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "active")
      assert.strictEqual(yield* refused(id, { action: "retry", reason }), "NotRetryable")
    })
  )

  it.effect("says that a retry was refused, and that the order was refunded", () =>
    Effect.gen(function* () {
      const { id, memory } = yield* bought("unavailable")
      memory.next("refuse")
      const { answer } = yield* work(id, { action: "retry", reason })
      assert.deepInclude(answer, { outcome: "refused", status: "refunded" })
      assert.match(answer.detail ?? "", /the order was refunded/)
    })
  )

  it.effect("looks up what has no outcome, and does not try it again", () =>
    Effect.gen(function* () {
      const { id, memory } = yield* bought("time_out")
      assert.strictEqual(yield* refused(id, { action: "retry", reason }), "OutcomeUnknown")
      const { answer } = yield* work(id, { action: "look_up", reason })
      assert.deepInclude(answer, { outcome: "done", status: "provisioned" })
      assert.strictEqual(memory.count("provision", id), 1)
      assert.strictEqual(yield* refused(id, { action: "look_up", reason }), "NothingUnknown")
    })
  )

  it.effect("leaves an order as it is while its provider does not know the outcome yet", () =>
    Effect.gen(function* () {
      const { id, memory } = yield* bought("drop")
      const { answer } = yield* work(id, { action: "look_up", reason })
      assert.deepInclude(answer, { outcome: "unknown", status: "paid" })
      assert.strictEqual(memory.count("provision", id), 1)
    })
  )

  const jobs = Effect.all([ProvisioningRecovery.run, ProxyChangeRecovery.run, ProxyReleases.run])

  it.effect.each([
    ["retry", "unavailable", { action: "retry" }],
    ["look_up", "time_out", { action: "look_up" }],
    ["release", "succeed", { action: "release" }],
    ["replace", "succeed", { action: "replace" }],
    ["extend", "succeed", { action: "extend", time: { months: 1 } }]
  ] as const)("%s: a job finishes what a process began that died", ([action, behaviour, wanted]) =>
    Effect.gen(function* () {
      const { id, memory, order, user } = yield* bought(behaviour)
      const given = {
        id: ProxyChangeId.make(randomUUID()),
        by: { id: "sam", name: "Sam", role: "support" },
        reason
      } as const
      yield* (yield* Atomically)(OrderCare.use((care) => care.begin(id, wanted, given)))
      yield* TestClock.adjust("3 minutes")
      yield* jobs
      yield* jobs
      const after = yield* orderOf(user, id)
      assert.strictEqual(after.status, action === "release" ? "cancelled" : "provisioned")
      assert.strictEqual(memory.leases.get(id)?.released, action === "release")
      assert.strictEqual(after.username !== order.username && order.username !== null, action === "replace")
      assert.strictEqual(
        order.expires_at !== null &&
          DateTime.toEpochMillis(after.expires_at!) > DateTime.toEpochMillis(order.expires_at),
        action === "extend"
      )
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
    })
  )

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

  it.effect("tells the customer of a paid change that a look-up refunds", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const sql = yield* SqlClient.SqlClient
      const { id, user } = yield* proxy("Residential")
      const change = yield* charged(id, { kind: "append", months: 1 })
      memory.nextChange("drop")
      yield* TestClock.adjust("1 minute")
      yield* ProxyChangeRecovery.run
      yield* TestClock.adjust("1 hour")
      yield* work(id, { action: "look_up", reason })
      const after = yield* sql`SELECT status FROM proxy_change WHERE id = ${change}`
      assert.deepStrictEqual([...after], [{ status: "refused" }])
      assert.deepStrictEqual(yield* noticesOf(user), ["change_failed"])
    })
  )

  it.effect("belongs to support and owners, and a refusal is on record", () =>
    Effect.gen(function* () {
      const { id } = yield* proxy("Datacenter")
      const desk = yield* StaffOrderWork
      for (const role of ["viewer", "finance"] as const) {
        const by = yield* actor(role)
        const failure = yield* Effect.flip(desk.work(by, randomUUID(), id, { action: "release", reason }))
        assert.strictEqual(failure._tag, "PermissionNeeded")
      }
      assert.deepStrictEqual(
        (yield* eventsOf(id)).map(({ outcome }) => outcome),
        ["refused", "refused"]
      )
    })
  )
})
