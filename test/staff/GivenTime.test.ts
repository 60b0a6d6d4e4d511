import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { Adjustments } from "../../src/wallet/adjustments/Adjustments.ts"
import { StaffOrderWork } from "../../src/staff/orders/StaffOrderWork.ts"
import { bookedFor, changesOf, charged, noticesOf, proxy } from "../orders/changes/ProxyChangeTesting.ts"
import { credit, person } from "../wallet/adjustments/MoneyTesting.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { actor, asOwn, eventsOf, extend, reason, refused, services, work } from "./OrderWorkTesting.ts"

layer(services)("Time that staff give", (it) => {
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
})
