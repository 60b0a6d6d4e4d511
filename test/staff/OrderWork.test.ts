import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import { OrderCare } from "../../src/orders/care/OrderCare.ts"
import * as ProxyReleases from "../../src/orders/care/ProxyReleases.ts"
import { ProxyChangeId } from "../../src/orders/changes/ProxyChange.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { OrderRefunds } from "../../src/orders/refunds/OrderRefunds.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { StaffOrderWork } from "../../src/staff/orders/StaffOrderWork.ts"
import { bookedFor, changesOf, noticesOf, orderOf, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { restrict } from "../support/Restricting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actor, bought, eventsOf, extend, reason, refused, services, work } from "./OrderWorkTesting.ts"

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

  it.effect("replaces a proxy once for a key, at no charge, and tells the customer", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, order, user } = yield* proxy("Datacenter")
      const by = yield* actor()
      const desk = yield* StaffOrderWork
      const key = randomUUID()
      yield* desk.rehearse(by, key, id, { action: "replace", reason })
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      const { answer } = yield* desk.work(by, key, id, { action: "replace", reason })
      assert.deepInclude(answer, { outcome: "done", id: key, host: "192.0.2.99" })
      yield* desk.work(by, key, id, { action: "replace", reason })
      assert.deepStrictEqual(
        [...(yield* changesOf(id))],
        [{ kind: "replace", origin: "staff", status: "applied", detail: null }]
      )
      const after = yield* orderOf(user, id)
      assert.deepStrictEqual(
        [after.username, after.password, after.expires_at, after.bandwidth_gb],
        [`${order.username}n`, `${order.password}n`, order.expires_at, order.bandwidth_gb]
      )
      assert.deepStrictEqual(memory.leases.get(id)?.logins, [
        { username: `${after.username}`, password: `${after.password}` }
      ])
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_replaced"])
    })
  )

  it.effect("replaces a proxy whose order staff then refund for the time that is left", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id } = yield* proxy("Datacenter")
      yield* work(id, { action: "extend", time: { months: 1 }, reason })
      const before = yield* refunds.preview(id)
      yield* work(id, { action: "replace", reason })
      assert.deepStrictEqual(yield* refunds.preview(id), before)
    })
  )

  it.effect.each(["time_out", "drop", "unavailable"] as const)(
    "finishes a replacement whose call ended with %s, or says that nothing was changed",
    (behaviour) =>
      Effect.gen(function* () {
        const memory = yield* MemoryProvider
        const { id, order, user } = yield* proxy("Datacenter")
        memory.nextChange(behaviour)
        const { answer } = yield* work(id, { action: "replace", reason })
        assert.strictEqual(answer.outcome, behaviour === "unavailable" ? "refused" : "unknown")
        yield* TestClock.adjust("3 minutes")
        yield* ProxyChangeRecovery.run
        yield* ProxyChangeRecovery.run
        const isReplaced = behaviour !== "unavailable"
        const after = yield* orderOf(user, id)
        assert.strictEqual(after.username, isReplaced ? `${order.username}n` : order.username)
        assert.deepStrictEqual(yield* noticesOf(user), isReplaced ? ["proxy_replaced"] : [])
        assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      })
  )

  it.effect("replaces nothing that the provider cannot replace", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, user } = yield* proxy("Datacenter")
      memory.setSpare(0)
      assert.strictEqual(yield* refused(id, { action: "replace", reason }), "NoOtherAddress")
      memory.setSpare(1)
      const { replacement } = memory.provider
      Reflect.deleteProperty(memory.provider, "replacement")
      assert.strictEqual(yield* refused(id, { action: "replace", reason }), "CannotReplace")
      Object.assign(memory.provider, { replacement })
      yield* restrict(user, "suspend")
      for (const action of ["replace", "extend"] as const)
        assert.strictEqual(yield* refused(id, action === "extend" ? extend(1) : { action, reason }), "OwnerStopped")
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
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
