import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import * as OrphanRelease from "../../src/orders/provisioning/OrphanRelease.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import { OrderCare } from "../../src/orders/care/OrderCare.ts"
import { OrderCareRepo } from "../../src/orders/care/OrderCareRepo.ts"
import * as ProxyReleases from "../../src/orders/care/ProxyReleases.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import { ProxyChangeId } from "../../src/orders/changes/ProxyChange.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import { ProxyEnd } from "../../src/orders/proxies/ProxyEnd.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import type { Role } from "../../src/staff/Role.ts"
import { Adjustments } from "../../src/wallet/adjustments/Adjustments.ts"
import { StaffOrderWork, type Work } from "../../src/staff/orders/StaffOrderWork.ts"
import {
  bookedFor,
  changesOf,
  charged,
  layer as domain,
  noticesOf,
  orderOf,
  proxy
} from "../orders/changes/ProxyChangeTesting.ts"
import { credit, person } from "../wallet/adjustments/MoneyTesting.ts"
import { restrict } from "../support/Restricting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actorOf, newStaff } from "./StaffTesting.ts"

const services = Layer.mergeAll(
  Adjustments.layer,
  StaffOrderWork.layer,
  OrderCare.layer,
  OrderCareRepo.layer,
  ProxyEnd.layer,
  Restrictions.layer
).pipe(Layer.provideMerge(domain))

const reason = "The site blocks it"

const actor = (role: Role = "support") => Effect.map(newStaff(role), (id) => actorOf(id, role))

const work = Effect.fnUntraced(function* (id: OrderId, given: Work, key: string = randomUUID()) {
  return yield* StaffOrderWork.use((desk) => Effect.flatMap(actor(), (by) => desk.work(by, key, id, given)))
})

const refused = (id: OrderId, given: Work) => Effect.map(Effect.flip(work(id, given)), ({ _tag }) => _tag)

const eventsOf = (id: OrderId) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ outcome: string; reason: string; kind: string }>`
      SELECT outcome, reason, after ->> 'kind' AS kind FROM audit_event WHERE subject_id = ${id} ORDER BY id
    `
  )

/** Buys a proxy whose first call has this outcome. */
const bought = Effect.fnUntraced(function* (behaviour: "unavailable" | "drop" | "time_out" | "succeed") {
  const memory = yield* MemoryProvider
  memory.next(behaviour)
  return { ...(yield* proxy("Datacenter")), memory }
})

/** Makes the proxies of the provider in memory those of the operator's own gateway. */
const asOwn = Effect.flatMap(MemoryProvider, ({ provider }) =>
  Effect.acquireRelease(
    Effect.sync(() => Object.assign(provider, { isOwn: true })),
    () => Effect.sync(() => Reflect.deleteProperty(provider, "isOwn"))
  )
)

const extend = (days: number): Work => ({ action: "extend", time: { days }, reason })

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

  it.effect("gives days within the limit, as a term without money", () =>
    Effect.gen(function* () {
      yield* asOwn
      const sql = yield* SqlClient.SqlClient
      const { id, order, user } = yield* proxy("Datacenter")
      const { answer } = yield* work(id, extend(3))
      const end = DateTime.add(order.expires_at ?? DateTime.makeUnsafe(0), { days: 3 })
      assert.deepInclude(answer, { outcome: "done", expires_at: end })
      const terms =
        yield* sql`SELECT kind, amount_usd, ends_at FROM revenue_term WHERE order_id = ${id} ORDER BY ends_at`
      assert.deepStrictEqual(
        [...terms],
        [
          { kind: "order", amount_usd: 1_500_000n, ends_at: DateTime.toDate(order.expires_at!) },
          { kind: "gift", amount_usd: 0n, ends_at: DateTime.toDate(end) }
        ]
      )
      assert.strictEqual(yield* refused(id, extend(29)), "TooMuchGiven")
      yield* work(id, extend(28))
      assert.strictEqual(yield* refused(id, extend(1)), "TooMuchGiven")
      yield* TestClock.adjust("30 days")
      yield* work(id, extend(1))
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_renewed", "proxy_renewed", "proxy_renewed"])
    })
  )

  it.effect("gives a month where the provider sells months, and its cost counts without a sale", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, order } = yield* proxy("Residential")
      assert.strictEqual(yield* refused(id, extend(3)), "CannotExtend")
      const { answer } = yield* work(id, { action: "extend", time: { months: 1 }, reason })
      const end = DateTime.add(order.expires_at ?? DateTime.makeUnsafe(0), { months: 1 })
      assert.deepInclude(answer, { outcome: "done", expires_at: end })
      const costs = yield* sql`
        SELECT flow, entries, amount, usd, cost_usd FROM money m WHERE flow = 'gift' AND provider = ${order.provider}
      `
      assert.deepStrictEqual([...costs], [{ flow: "gift", entries: 1, amount: 0n, usd: 0n, cost_usd: 2_000_000n }])
      const { id: mobile } = yield* proxy("Mobile")
      assert.strictEqual(yield* refused(mobile, { action: "extend", time: { months: 1 }, reason }), "CannotExtend")
    })
  )

  it.effect("counts a month at a vendor as goodwill within the limits of the person and the customer", () =>
    Effect.gen(function* () {
      const adjustments = yield* Adjustments
      const { id, user } = yield* proxy("Residential")
      const month = { action: "extend", time: { months: 1 }, reason } as const
      // Support gives a customer at most 50 dollars in 30 days.
      for (const amount of [10n, 10n, 10n, 10n, 7n])
        yield* adjustments.create(person("support"), credit(user, { amount: amount * 1_000_000n }))
      assert.strictEqual(yield* refused(id, month), "LimitReached")
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      assert.deepInclude((yield* eventsOf(id)).at(-1), { outcome: "refused" })
      const owner = yield* actor("owner")
      const { answer } = yield* StaffOrderWork.use((desk) => desk.work(owner, randomUUID(), id, month))
      assert.strictEqual(answer.outcome, "done")
      const small = yield* adjustments.create(person("support"), credit(user, { amount: 1n }))
      assert.strictEqual(small.record.status, "requested")
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
