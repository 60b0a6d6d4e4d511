import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import { ProxyChanges } from "../../src/orders/changes/ProxyChanges.ts"
import * as RestrictionRounds from "../../src/orders/checkout/RestrictionRounds.ts"
import type { OrderId } from "../../src/orders/Order.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import * as Expiry from "../../src/orders/proxies/Expiry.ts"
import { ProxyManagement } from "../../src/orders/proxies/ProxyManagement.ts"
import * as ProxyStops from "../../src/orders/proxies/ProxyStops.ts"
import * as ProxySyncRounds from "../../src/orders/proxies/ProxySyncRounds.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import { lift, publicReason, restrict } from "../support/Restricting.ts"
import { changesOf, noticesOf, orderOf, proxy } from "./changes/ProxyChangeTesting.ts"
import { layer as paying, waiting } from "./checkout/OrderPaymentsTesting.ts"
import { accessOf, domain, jobs, ledgerOf, place, stopsOf } from "./RestrictedTesting.ts"

layer(domain)("An account that may not spend", (it) => {
  it.effect.each(["hold", "suspend", "ban", "lock"] as const)(
    "buys nothing during a %s, and buys again afterwards",
    (preset) =>
      Effect.gen(function* () {
        const { caller, order, user } = yield* proxy("Datacenter")
        const before = yield* ledgerOf(user)
        const { id: restriction } = yield* restrict(user, preset)
        const refused = yield* Effect.flip(place(user))
        assert.deepStrictEqual(
          [refused._tag, refused.detail],
          ["PurchasesStopped", `The operator has stopped the purchases of this account: ${publicReason}`]
        )
        const extended = yield* Effect.flip(
          ProxyChanges.use((changes) => changes.extend(caller, order, { months: 1 }, undefined))
        )
        assert.strictEqual(extended._tag, "PurchasesStopped")
        assert.deepStrictEqual(yield* ledgerOf(user), before)
        yield* lift(restriction)
        yield* place(user)
        assert.lengthOf(yield* ledgerOf(user), before.length + 1)
      })
  )

  it.effect("cannot be charged by any writer: the database refuses the entry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* proxy("Datacenter")
      yield* restrict(user, "hold")
      const forged = sql.withTransaction(sql`
        WITH w AS (
          UPDATE wallet SET balance = balance - 7, seq = seq + 1 WHERE user_id = ${user} AND currency = 'USD' RETURNING *
        )
        INSERT INTO wallet_transaction (id, user_id, wallet_id, amount, currency, transaction_type, status, description,
          reference, payment_method, seq, balance_before, balance_after, created_at, updated_at)
        SELECT gen_random_uuid(), user_id, id, -7, currency, 'payment', 'completed', '', 'by hand', 'wallet', seq,
          balance + 7, balance, updated_at, updated_at FROM w
      `)
      const { reason } = yield* Effect.flip(forged)
      assert.include(String(reason.cause), "purchases of this account are stopped")
    })
  )

  it.effect("has wallets that are blocked even when they are made later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* Testing.buyer(0n)
      yield* restrict(user_id, "hold")
      yield* Wallets.use((wallets) => wallets.list(user_id))
      const wallets = yield* sql`SELECT currency FROM wallet WHERE user_id = ${user_id} AND spending_blocked`
      assert.lengthOf(wallets, 2)
    })
  )

  it.effect("renews nothing and hears nothing of it, and renews when it is free", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      const { id: restriction } = yield* restrict(user, "hold")
      yield* TestClock.adjust("648 hours")
      yield* Expiry.run
      yield* AutoRenewal.run
      assert.deepStrictEqual(yield* changesOf(id), [])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring"])
      yield* lift(restriction)
      yield* TestClock.adjust("2 minutes")
      yield* AutoRenewal.run
      assert.lengthOf(yield* changesOf(id), 1)
    })
  )
})

layer(domain)("A suspended account", (it) => {
  it.effect("has vendors' proxies with a secret login, and gets the old access back", () =>
    Effect.gen(function* () {
      const { memory, order, user, id } = yield* withWhitelist
      const before = yield* accessOf(id)
      const { id: restriction } = yield* restrict(user, "suspend")
      yield* ProxyStops.run
      const stopped = yield* accessOf(id)
      assert.deepStrictEqual(stopped.whitelisted_ips, [])
      assert.lengthOf(stopped.logins, 1)
      assert.notStrictEqual(stopped.logins[0]?.username, before.logins[0]?.username)
      const kept = yield* orderOf(user, id)
      assert.deepStrictEqual(
        [kept.username, kept.password, kept.whitelisted_ips],
        [order.username, order.password, ["192.0.2.7"]]
      )
      assert.deepStrictEqual(yield* stopsOf(id), [{ task: "stop", detail: null, is_done: true }])
      // The secret login never reaches the order.
      const asked = memory.count("get")
      yield* TestClock.adjust("2 hours")
      yield* ProxySyncRounds.run
      assert.strictEqual(memory.count("get"), asked)
      yield* lift(restriction)
      yield* ProxyStops.run
      assert.deepStrictEqual(yield* accessOf(id), before)
      assert.deepStrictEqual(yield* stopsOf(id), [])
    })
  )

  it.effect("cannot change its proxies, so that none works again", () =>
    Effect.gen(function* () {
      const { caller, id, user } = yield* proxy("Datacenter")
      const { id: restriction } = yield* restrict(user, "suspend")
      const management = yield* ProxyManagement
      const attempts = [
        management.setWhitelist(caller, id, ["192.0.2.9"]),
        management.newPassword(caller, id),
        management.setProtocol(caller, id, "HTTP"),
        management.release(caller, id),
        management.sync(caller, id)
      ]
      for (const attempt of attempts)
        assert.strictEqual(
          (yield* Effect.flip(attempt as Effect.Effect<unknown, { _tag: string }>))._tag,
          "ProxyStopped"
        )
      yield* ProxyStops.run
      yield* lift(restriction)
      yield* ProxyStops.run
      yield* management.newPassword(caller, id)
    })
  )

  it.effect("is on record as not stopped while its vendor refuses or does not answer, and the job tries again", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, user } = yield* proxy("Datacenter")
      const before = yield* accessOf(id)
      memory.setDown(true)
      yield* restrict(user, "suspend")
      yield* ProxyStops.run
      assert.deepStrictEqual(yield* stopsOf(id), [
        { task: "stop", detail: "the provider does not answer", is_done: false }
      ])
      memory.setDown(false)
      yield* ProxyStops.run
      assert.deepStrictEqual(yield* accessOf(id), before)
      yield* TestClock.adjust("1 minute")
      yield* ProxyStops.run
      assert.notDeepEqual(yield* accessOf(id), before)
      assert.deepStrictEqual(yield* stopsOf(id), [{ task: "stop", detail: null, is_done: true }])
    })
  )

  it.effect("comes back when it is free before the vendor has answered", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, user } = yield* proxy("Datacenter")
      const before = yield* accessOf(id)
      memory.setDown(true)
      const { id: restriction } = yield* restrict(user, "suspend")
      yield* ProxyStops.run
      yield* lift(restriction)
      memory.setDown(false)
      yield* ProxyStops.run
      assert.deepStrictEqual(yield* accessOf(id), before)
      assert.deepStrictEqual(yield* stopsOf(id), [])
    })
  )

  it.effect("gets its money back for what was paid and not asked for, without a notice", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { user_id } = yield* Testing.buyer(10_000_000n)
      memory.next("unavailable")
      const { orders } = yield* place(user_id)
      assert.strictEqual(orders[0]?.status, "paid")
      yield* restrict(user_id, "suspend")
      yield* TestClock.adjust("30 seconds")
      yield* ProvisioningRecovery.run
      assert.deepStrictEqual(yield* ledgerOf(user_id), [-1_500_000n, 1_500_000n])
      assert.strictEqual(memory.leases.get(orders[0]?.id ?? ""), undefined)
      assert.deepStrictEqual(yield* noticesOf(user_id), [])
    })
  )

  it.effect("has a proxy stopped in the transaction that delivers it", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { user_id } = yield* Testing.buyer(10_000_000n)
      memory.next("time_out")
      const { orders } = yield* place(user_id)
      const id = (orders[0]?.id ?? "") as OrderId
      yield* restrict(user_id, "suspend")
      yield* TestClock.adjust("30 seconds")
      yield* ProvisioningRecovery.run
      assert.strictEqual((yield* orderOf(user_id, id)).status, "provisioned")
      assert.deepStrictEqual(yield* stopsOf(id), [{ task: "stop", detail: null, is_done: false }])
      const before = yield* accessOf(id)
      yield* ProxyStops.run
      assert.notDeepEqual(yield* accessOf(id), before)
    })
  )
})

/** A vendor's proxy with an address that needs no password. */
const withWhitelist = Effect.gen(function* () {
  const memory = yield* MemoryProvider
  const made = yield* proxy("Datacenter")
  yield* ProxyManagement.use((management) => management.setWhitelist(made.caller, made.id, ["192.0.2.7"]))
  return { ...made, memory, order: yield* orderOf(made.user, made.id) }
})

layer(domain)("An account that a stranger has taken over", (it) => {
  it.effect("has proxies with other logins, which the stranger does not know", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* withWhitelist
      const { id: lock } = yield* restrict(user, "lock")
      yield* ProxyStops.run
      const { logins, whitelisted_ips } = yield* accessOf(id)
      const changed = yield* orderOf(user, id)
      assert.deepStrictEqual(
        [logins, whitelisted_ips],
        [[{ username: changed.username, password: changed.password }], []]
      )
      assert.notStrictEqual(changed.password, order.password)
      assert.deepStrictEqual(yield* stopsOf(id), [])
      yield* lift(lock)
      yield* ProxyStops.run
      assert.deepStrictEqual((yield* accessOf(id)).logins, logins)
    })
  )

  it.effect("gets other logins also for proxies that were stopped before", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Datacenter")
      const suspension = yield* restrict(user, "suspend")
      yield* ProxyStops.run
      const lock = yield* restrict(user, "lock")
      yield* lift(suspension.id)
      yield* lift(lock.id)
      yield* ProxyStops.run
      const changed = yield* orderOf(user, id)
      assert.notStrictEqual(changed.password, order.password)
      assert.strictEqual((yield* accessOf(id)).logins[0]?.password, changed.password)
    })
  )
})

const outside = Layer.provideMerge(jobs, paying)

layer(outside)("A payment from outside", (it) => {
  it.effect("goes on during a hold, and its money stays in the wallet", () =>
    Effect.gen(function* () {
      const { balance, caller, pay, statuses } = yield* waiting()
      yield* restrict(caller.user_id, "hold")
      yield* RestrictionRounds.run
      assert.deepStrictEqual(yield* statuses, ["waiting_payment"])
      yield* pay()
      assert.deepStrictEqual([yield* statuses, yield* balance], [["cancelled"], 1_500_000n])
    })
  )

  it.effect("ends with a suspension, and money that still comes is credited and can be spent afterwards", () =>
    Effect.gen(function* () {
      const { balance, caller, pay, paymentStatus, statuses } = yield* waiting()
      const { id } = yield* restrict(caller.user_id, "suspend")
      yield* RestrictionRounds.run
      assert.deepStrictEqual([yield* statuses, yield* paymentStatus], [["cancelled"], "failed"])
      yield* pay()
      assert.strictEqual(yield* balance, 1_500_000n)
      yield* lift(id)
      const { orders } = yield* place(caller.user_id)
      assert.strictEqual(orders[0]?.status, "provisioned")
    })
  )
})
