import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { Adjustments } from "../../src/wallet/adjustments/Adjustments.ts"
import { StaffOrderWork, type Work } from "../../src/staff/orders/StaffOrderWork.ts"
import { bookedFor, changesOf, noticesOf, orderOf, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { credit, person } from "../wallet/adjustments/MoneyTesting.ts"
import { restrict } from "../support/Restricting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actor, eventsOf, reason, refused, services, work } from "./OrderWorkTesting.ts"

/** Makes the proxies of the provider in memory those of the operator's own gateway. */
const asOwn = Effect.flatMap(MemoryProvider, ({ provider }) =>
  Effect.acquireRelease(
    Effect.sync(() => Object.assign(provider, { isOwn: true })),
    () => Effect.sync(() => Reflect.deleteProperty(provider, "isOwn"))
  )
)

const extend = (days: number): Work => ({ action: "extend", time: { days }, reason })

layer(services)("What staff give to an order", (it) => {
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
})
