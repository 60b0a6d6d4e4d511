import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { UserId } from "../../src/accounts/User.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import * as RestrictionRounds from "../../src/orders/checkout/RestrictionRounds.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import * as Expiry from "../../src/orders/proxies/Expiry.ts"
import * as ProxyStops from "../../src/orders/proxies/ProxyStops.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { changedAt, everywhere } from "../support/Interleaving.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { restrict } from "../support/Restricting.ts"
import { changesOf, charged, noticesOf, proxy } from "./changes/ProxyChangeTesting.ts"
import { domain, place, stopsOf } from "./RestrictedTesting.ts"

/** No work slips through a ban: what was booked before it is delivered and stopped, or refunded; nothing is booked after it. */
const checkBanned = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  yield* RestrictionRounds.run
  for (let round = 0; round < 3; round++) {
    yield* TestClock.adjust("1 minute")
    yield* ProvisioningRecovery.run
    yield* ProxyChangeRecovery.run
    yield* ProxyStops.run
  }
  const [{ spending = false } = {}] = yield* sql<{ spending: boolean }>`
    SELECT bool_and(spending_blocked) AS spending FROM wallet WHERE user_id = ${user}
  `
  assert.isTrue(spending)
  const orders = yield* sql<{ id: OrderId; status: string; is_stopped: boolean; refunds: number }>`
    SELECT id, status, EXISTS (SELECT FROM proxy_stop s WHERE s.order_id = o.id AND stopped_at IS NOT NULL) AS is_stopped,
      (SELECT count(*)::int FROM wallet_transaction t WHERE t.order_id = o.id AND transaction_type = 'refund') AS refunds
    FROM proxy_order o WHERE user_id = ${user}
  `
  for (const { is_stopped, refunds, status } of orders) {
    if (status === "provisioned") assert.isTrue(is_stopped)
    else assert.deepStrictEqual([status, refunds], ["refunded", 1])
  }
  return orders
})

layer(domain)("A ban during a purchase", (it) => {
  it.effect("comes before or after each statement of it, and no money slips through", () =>
    Effect.gen(function* () {
      const found = new Set<string>()
      yield* everywhere(
        Effect.fnUntraced(function* (at: number) {
          const { user_id } = yield* Testing.buyer(10_000_000n)
          const { made, outcome } = yield* changedAt(at, restrict(user_id, "ban"), place(user_id))
          const orders = yield* checkBanned(user_id)
          found.add(`${outcome._tag} ${orders.map(({ status }) => status).join()}`)
          return { made }
        })
      )
      assert.include([...found], "Failure ")
    })
  )

  it.effect("comes before or after each of many concurrent purchases", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const { user_id } = yield* Testing.buyer(100_000_000n)
        const ban = Effect.delay(restrict(user_id, "ban"), "0 millis")
        const all = Effect.forEach(Array.from({ length: 12 }), () => Effect.exit(place(user_id)), { concurrency: 12 })
        const [outcomes] = yield* Effect.all([all, ban], { concurrency: "unbounded" })
        const bought = outcomes.filter(({ _tag }) => _tag === "Success").length
        assert.lengthOf(yield* checkBanned(user_id), bought)
      }
    })
  )
})

layer(domain)("A ban during an extension, a renewal or a delivery", (it) => {
  it.effect("comes before or after each statement of an extension", () =>
    Effect.gen(function* () {
      yield* everywhere(
        Effect.fnUntraced(function* (at: number) {
          const { id, user } = yield* proxy("Datacenter")
          const { made, outcome } = yield* changedAt(
            at,
            restrict(user, "ban"),
            charged(id, { kind: "append", months: 1 })
          )
          yield* checkBanned(user)
          const changes = yield* changesOf(id)
          assert.deepStrictEqual(
            changes.map(({ status }) => status),
            outcome._tag === "Success" ? ["applied"] : []
          )
          return { made }
        })
      )
    })
  )

  it.effect("comes before or after each statement of a renewal, and the owner hears of none that fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* everywhere(
        Effect.fnUntraced(function* (at: number) {
          yield* sql`UPDATE proxy_order SET auto_renew = false, renew_at = NULL`
          const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
          yield* TestClock.adjust("648 hours")
          yield* Expiry.run
          const { made } = yield* changedAt(at, restrict(user, "ban"), AutoRenewal.run)
          yield* checkBanned(user)
          assert.isAtMost((yield* changesOf(id)).length, 1)
          assert.notInclude(yield* noticesOf(user), "renewal_failed")
          return { made }
        })
      )
    })
  )

  it.effect("comes before or after each statement of a delivery", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      yield* everywhere(
        Effect.fnUntraced(function* (at: number) {
          const { user_id } = yield* Testing.buyer(10_000_000n)
          memory.next("time_out")
          yield* place(user_id)
          yield* TestClock.adjust("30 seconds")
          const { made } = yield* changedAt(at, restrict(user_id, "ban"), ProvisioningRecovery.run)
          const orders = yield* checkBanned(user_id)
          assert.deepStrictEqual(
            orders.map(({ status }) => status),
            ["provisioned"]
          )
          return { made }
        })
      )
    })
  )

  it.effect("is complete or absent when its transaction ends at any statement", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const atomically = yield* Atomically
      const { id, user } = yield* proxy("Datacenter")
      const failing = atomically(Effect.andThen(restrict(user, "ban"), Effect.die("killed")))
      yield* Effect.exit(failing)
      const rows = yield* sql`SELECT FROM account_restriction WHERE user_id = ${user}`
      assert.deepStrictEqual([rows.length, (yield* stopsOf(id)).length], [0, 0])
      yield* place(user)
    })
  )
})
