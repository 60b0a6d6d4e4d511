import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ExpiryRepo } from "../../../src/orders/proxies/ExpiryRepo.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { ProxyManagement } from "../../../src/orders/proxies/ProxyManagement.ts"
import { ExtendRequest } from "../../../src/orders/changes/ProxyChangeRequest.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import { OrderRefunds } from "../../../src/orders/refunds/OrderRefunds.ts"
import * as RefundExpiry from "../../../src/orders/refunds/RefundExpiry.ts"
import * as RefundedProxies from "../../../src/orders/refunds/RefundedProxies.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { PromoCodeRegistry } from "../../../src/wallet/promo-codes/PromoCodeRegistry.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as OrderTesting from "../../support/OrderTesting.ts"
import { person } from "../../wallet/adjustments/MoneyTesting.ts"
import { newCode } from "../../wallet/promo-codes/PromoCodeTesting.ts"
import { charged, orderOf, proxy } from "../changes/ProxyChangeTesting.ts"
import * as RefundTesting from "./RefundTesting.ts"

const { asked, ledger } = RefundTesting

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const done = Effect.fnUntraced(function* (...given: Parameters<OrderRefunds["Service"]["create"]>) {
  const refunds = yield* OrderRefunds
  const { record } = yield* refunds.create(...given)
  yield* refunds.finish(record.id)
  return yield* refunds.find(record.id)
})

const left = Effect.fnUntraced(function* (id: Parameters<typeof asked>[0]) {
  return (yield* OrderRefunds.use((refunds) => refunds.preview(id))).left
})

layer(RefundTesting.layer)("A refund of a delivered order", (it) => {
  it.effect("in parts never returns more than was paid, for 8 writers at once, and leaves the order as it is", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const all = yield* Effect.all(
        Arr.makeBy(8, () => Effect.exit(refunds.create(person("support"), asked(id, { amount: 400_000n })))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter(Exit.isSuccess), 3)
      assert.strictEqual(yield* left(id), 300_000n)
      assert.strictEqual((yield* orderOf(user, id)).status, "provisioned")
      assert.strictEqual((yield* ledger(user)).balance, 9_700_000n)
      assert.strictEqual(yield* tagOf(refunds.create(person("owner"), asked(id, { kind: "whole" }))), "NotWhole")
      assert.strictEqual(yield* tagOf(refunds.create(person("owner"), asked(id, { amount: 300_001n }))), "MoreThanLeft")
      yield* done(person("owner"), asked(id, { amount: 300_000n, ends_service: true }))
      assert.strictEqual((yield* orderOf(user, id)).status, "cancelled")
      assert.strictEqual(yield* tagOf(refunds.create(person("owner"), asked(id, { amount: 1n }))), "NothingToReturn")
      assert.strictEqual((yield* ledger(user)).balance, 10_000_000n)
    })
  )

  it.effect("happens once for an id, and not with other content", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const actor = person("support")
      const request = asked(id, { amount: 500_000n, customer_text: "Half of it" })
      const all = yield* Effect.all(
        Arr.makeBy(6, () => refunds.create(actor, request)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        all.filter(({ is_replay }) => !is_replay),
        1
      )
      assert.deepStrictEqual((yield* ledger(user)).entries, ["deposit 10000000", "payment -1500000", "returned 500000"])
      assert.strictEqual(yield* tagOf(refunds.create(actor, { ...request, amount: 1n })), "KeyReused")
    })
  )

  it.effect("whole undoes the order, returns its changes, and ends the proxy at the provider", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      const { caller, id, order, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      yield* ProxyChanges.use((changes) => changes.extend(caller, order, { months: 1 }, undefined))
      const before = yield* ledger(user)
      yield* done(person("support"), asked(id, { kind: "whole" }))
      const ended = yield* orderOf(user, id)
      assert.deepStrictEqual([ended.status, ended.proxy_status], ["refunded", "cancelled"])
      assert.strictEqual(provider.leases.get(id)?.released, true)
      const after = yield* ledger(user)
      assert.strictEqual(after.balance, 10_000_000n)
      assert.deepStrictEqual(after.entries.slice(before.entries.length).toSorted(), [
        "refund 1500000",
        "returned 1500000"
      ])
    })
  )

  it.effect("ends a proxy whose provider did not answer, in the job", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      const refunds = yield* OrderRefunds
      const { id } = yield* proxy("Datacenter")
      provider.setDown(true)
      const record = yield* done(person("support"), asked(id, { kind: "whole" }))
      assert.isNotNull(record.release_at)
      provider.setDown(false)
      yield* TestClock.adjust("1 minute")
      yield* RefundedProxies.run
      assert.isNull((yield* refunds.find(record.id)).release_at)
      assert.strictEqual(provider.leases.get(id)?.released, true)
    })
  )

  it.effect("for the time that is left returns the shown part, and not a part that time has taken", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id } = yield* proxy("Datacenter")
      yield* TestClock.adjust("15 days")
      const { prorata } = yield* refunds.preview(id)
      assert.isTrue(prorata > 700_000n && prorata < 780_000n, String(prorata))
      yield* TestClock.adjust("2 days")
      const late = asked(id, { kind: "prorata", amount: prorata })
      assert.strictEqual(yield* tagOf(refunds.create(person("support"), late)), "MoreThanLeft")
      const now = (yield* refunds.preview(id)).prorata
      const { record } = yield* refunds.create(person("support"), asked(id, { kind: "prorata", amount: now }))
      assert.strictEqual(record.amount, now)
      const again = asked(id, { kind: "prorata" })
      assert.strictEqual(yield* tagOf(refunds.create(person("support"), again)), "NothingToReturn")
    })
  )

  it.effect("that waits for approval keeps its share, and one of two decisions counts", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const { record } = yield* refunds.create(
        person("support"),
        asked(id, { kind: "prorata", destination: "gateway" })
      )
      assert.deepStrictEqual([record.status, record.amount], ["requested", 1_500_000n])
      yield* TestClock.adjust("2 days")
      const decisions = yield* Effect.all(
        [
          Effect.exit(refunds.decline(person("owner"), record.id)),
          Effect.exit(refunds.decline(person("finance"), record.id))
        ],
        { concurrency: "unbounded" }
      )
      assert.lengthOf(decisions.filter(Exit.isSuccess), 1)
      assert.strictEqual((yield* ledger(user)).balance, 8_500_000n)
    })
  )

  it.effect("frees the promo code of an undone order when it is booked, and not while it waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const refunds = yield* OrderRefunds
      const { code: promo_code } = yield* Effect.provide(newCode(), PromoCodeRegistry.layer)
      const { caller, user } = yield* RefundTesting.cardBuyer
      const request = yield* OrderTesting.request({ promo_code })
      const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
      const id = OrderId.make(orders[0]?.id ?? "")
      const isFree = Effect.map(
        sql`SELECT FROM promo_code_use WHERE user_id = ${user} AND released_at IS NOT NULL`,
        (rows) => rows.length === 1
      )
      const whole = () => refunds.create(person("support"), asked(id, { kind: "whole", destination: "gateway" }))
      const first = yield* whole()
      assert.strictEqual(first.record.status, "requested")
      assert.isFalse(yield* isFree)
      yield* refunds.decline(person("owner"), first.record.id)
      assert.isFalse(yield* isFree)
      const second = yield* whole()
      yield* refunds.approve(person("owner"), second.record.id)
      assert.isTrue(yield* isFree)
      assert.strictEqual((yield* orderOf(user, id)).status, "refunded")
    })
  )

  it.effect("counts against the limit of its customer when two people refund at the same time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const refunds = yield* OrderRefunds
      const limit = (most: number | null) =>
        sql`UPDATE staff_limit SET per_customer_30d = ${most} WHERE role = 'support' AND action = 'refund_wallet'`
      yield* Effect.acquireRelease(limit(2_000_000), () => Effect.orDie(limit(null)))
      const { caller, id } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const request = yield* OrderTesting.request()
      const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
      const both = yield* Effect.forEach(
        [id, OrderId.make(orders[0]?.id ?? "")],
        (order) => refunds.create(person("support"), asked(order, { amount: 1_500_000n })),
        { concurrency: 2 }
      )
      assert.sameMembers(
        both.map(({ record }) => record.status),
        ["booked", "requested"]
      )
    })
  )

  it.effect("is refused when a new cycle of traffic began after the provider was asked", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { caller, id, order, user } = yield* proxy("Mobile")
      const { usage } = yield* refunds.preview(id)
      yield* TestClock.adjust("6 days")
      const cycle = Schema.decodeUnknownSync(ExtendRequest)({ tarification_index: 1 })
      yield* ProxyChanges.use((changes) => changes.extend(caller, order, cycle, "another cycle"))
      const late = refunds.create(person("owner"), asked(id, { kind: "prorata", usage }))
      assert.strictEqual(yield* tagOf(late), "OrderBusy")
      assert.strictEqual((yield* orderOf(user, id)).status, "provisioned")
    })
  )

  it.effect("that nobody decides expires, and books nothing", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const request = asked(id, { amount: 1_000_000n, destination: "gateway" })
      const { record } = yield* refunds.create(person("support"), request)
      yield* TestClock.adjust("73 hours")
      yield* RefundExpiry.run
      assert.strictEqual((yield* refunds.find(record.id)).status, "expired")
      assert.strictEqual(yield* tagOf(refunds.approve(person("owner"), record.id)), "AlreadyDecided")
      assert.strictEqual((yield* ledger(user)).balance, 8_500_000n)
    })
  )

  it.effect("meets the expiry and the release of the proxy without losing money", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { caller, id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      const whole = Effect.exit(refunds.create(person("support"), asked(id, { kind: "whole" })))
      const part = Effect.exit(refunds.create(person("support"), asked(id, { amount: 1_500_000n })))
      const release = Effect.exit(ProxyManagement.use((management) => management.release(caller, id)))
      const [one, other] = yield* Effect.all([whole, part, release], { concurrency: "unbounded" })
      const booked = [one, other].filter(Exit.isSuccess).length
      assert.isAtMost(booked, 1)
      assert.strictEqual((yield* ledger(user)).balance, 8_500_000n + BigInt(booked) * 1_500_000n)
      const { status } = yield* orderOf(user, id)
      assert.strictEqual(status === "refunded", Exit.isSuccess(one))
    })
  )

  it.effect("of an expired order is possible as an amount only", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id, user } = yield* proxy("Datacenter", { balance: 10_000_000n })
      yield* TestClock.adjust("40 days")
      yield* Effect.repeat(Effect.provide(Expiry.run, ExpiryRepo.layer), { times: 1 })
      assert.strictEqual((yield* orderOf(user, id)).status, "expired")
      assert.strictEqual(yield* tagOf(refunds.create(person("owner"), asked(id, { kind: "whole" }))), "NotWhole")
      assert.strictEqual(
        yield* tagOf(refunds.create(person("owner"), asked(id, { kind: "prorata" }))),
        "NothingToReturn"
      )
      yield* done(person("owner"), asked(id, { amount: 1_500_000n, ends_service: true }))
      assert.strictEqual((yield* orderOf(user, id)).status, "expired")
      assert.strictEqual((yield* ledger(user)).balance, 10_000_000n)
    })
  )

  it.effect("is refused while a change of the proxy is under way", () =>
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      const { id } = yield* proxy("Datacenter")
      yield* charged(id, { kind: "append", months: 1 })
      assert.strictEqual(yield* tagOf(refunds.create(person("owner"), asked(id, { kind: "whole" }))), "OrderBusy")
    })
  )
})
