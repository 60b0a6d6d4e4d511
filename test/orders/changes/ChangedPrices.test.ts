import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import * as QuoteCleanup from "../../../src/orders/checkout/QuoteCleanup.ts"
import { QuotedPricesRepo } from "../../../src/orders/checkout/QuotedPricesRepo.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import type { OrderId } from "../../../src/orders/Order.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { reprice, sell } from "../../support/Repricing.ts"
import { bookedFor, changesOf, charged, layer as domain, orderOf, proxy } from "./ProxyChangeTesting.ts"

/** Prices of the changes of an order, in micro-dollars. */
const totals = Effect.fnUntraced(function* (id: OrderId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ total: bigint }>`SELECT total FROM proxy_change WHERE order_id = ${id} ORDER BY id`
  return rows.map(({ total }) => total)
})

layer(domain)("A price that changes", (it) => {
  it.effect("does not touch a quoted extension or quoted traffic for ten minutes, and a lower one counts", () =>
    Effect.gen(function* () {
      const changes = yield* ProxyChanges
      yield* reprice(100)
      const { caller, id, order } = yield* proxy("Residential")
      const [three, gigabytes] = [{ months: 3 }, { bandwidth_gb: 10 }]
      assert.strictEqual((yield* changes.quoteExtension(order, three)).terms.total, 10_500_000n)
      assert.strictEqual((yield* changes.quoteTraffic(order, gigabytes)).terms.total, 6_000_000n)
      yield* reprice(200)
      yield* changes.extend(caller, order, three, undefined)
      yield* changes.extend(caller, order, { months: 1 }, undefined)
      yield* changes.addTraffic(caller, order, gigabytes, undefined)
      yield* reprice(50)
      yield* changes.addTraffic(caller, order, gigabytes, undefined)
      yield* reprice(200)
      yield* TestClock.adjust("10 minutes")
      yield* changes.addTraffic(caller, order, gigabytes, undefined)
      assert.deepStrictEqual(yield* totals(id), [10_500_000n, 7_000_000n, 6_000_000n, 3_000_000n, 12_000_000n])
      yield* Effect.provide(QuoteCleanup.run, QuotedPricesRepo.layer)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`SELECT FROM quoted_change WHERE order_id = ${id}`, 0)
    })
  )

  it.effect("is charged only as the customer agreed to it, and a repeated request gets the first answer", () =>
    Effect.gen(function* () {
      const changes = yield* ProxyChanges
      yield* reprice(100)
      const { caller, id, order } = yield* proxy("Residential")
      for (const expected_total of [0, 3.49, 3.51]) {
        const refused = yield* Effect.flip(changes.extend(caller, order, { months: 1, expected_total }, "key"))
        assert.deepInclude(refused, { _tag: "PriceChanged" })
        assert.deepInclude(refused, { details: { reason: "price_changed", total: "3.50", currency: "USD" } })
      }
      const dear = changes.addTraffic(caller, order, { bandwidth_gb: 1, expected_total: 0.59 }, "traffic")
      assert.strictEqual((yield* Effect.flip(dear))._tag, "PriceChanged")
      assert.deepStrictEqual(yield* totals(id), [])
      yield* changes.extend(caller, order, { months: 1, expected_total: 3.5 }, "key")
      yield* changes.addTraffic(caller, order, { bandwidth_gb: 1, expected_total: 0.6 }, "traffic")
      yield* reprice(200)
      const again = yield* changes.extend(caller, order, { months: 1, expected_total: 7 }, "key")
      assert.isTrue(again.replayed)
      assert.deepStrictEqual(yield* totals(id), [3_500_000n, 600_000n])
      yield* reprice(100)
    })
  )

  it.effect("is charged only for the proxy that the customer has seen", () =>
    Effect.gen(function* () {
      const changes = yield* ProxyChanges
      yield* reprice(100)
      const { caller, id, order } = yield* proxy("Residential")
      const seen = order.expires_at ?? undefined
      const extend = (key: string) =>
        changes.extend(caller, order, { months: 1, ...(seen && { expected_expires_at: seen }) }, key)
      const buy = (key: string) =>
        changes.addTraffic(caller, order, { bandwidth_gb: 1, expected_bandwidth_total_gb: 50 }, key)
      yield* buy("one")
      assert.strictEqual((yield* Effect.flip(buy("two")))._tag, "ProxyChanged")
      yield* extend("three")
      const refused = yield* Effect.flip(extend("four"))
      assert.deepInclude(refused, { _tag: "ProxyChanged", status: 409 })
      const end = DateTime.add(order.expires_at ?? (yield* DateTime.now), { months: 1 })
      const details = { reason: "proxy_changed", expires_at: DateTime.formatIso(end), bandwidth_total_gb: 101 } as const
      assert.deepInclude(refused, { details })
      assert.isTrue((yield* extend("three")).replayed)
      assert.lengthOf(yield* totals(id), 2)
    })
  )

  it.effect("refuses the extension by a quoted tariff that is another one meanwhile, until it is quoted again", () =>
    Effect.gen(function* () {
      const changes = yield* ProxyChanges
      yield* reprice(100)
      const { caller, id, order } = yield* proxy("Mobile")
      const tariff = { tarification_index: 0 }
      yield* changes.quoteExtension(order, tariff)
      yield* sell((offer) => ({ ...offer, options: offer.kind === "mobile" ? offer.options.slice(1) : offer.options }))
      const refused = yield* Effect.flip(changes.extend(caller, order, tariff, "key"))
      assert.strictEqual(refused._tag, "OfferChanged")
      assert.deepStrictEqual(yield* totals(id), [])
      yield* changes.quoteExtension(order, tariff)
      yield* changes.extend(caller, order, tariff, "key")
      assert.deepStrictEqual(yield* totals(id), [9_000_000n])
    })
  )

  it.effect("does not touch an extension that is charged, nor its refund", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const memory = yield* MemoryProvider
      const [made, refused] = [yield* proxy("Datacenter"), yield* proxy("Datacenter")]
      yield* charged(made.id, { kind: "append", months: 1 })
      yield* charged(refused.id, { kind: "append", months: 1 })
      yield* reprice(300)
      yield* TestClock.adjust("15 seconds")
      memory.nextChange("refuse")
      yield* ProxyChangeRecovery.run
      const booked = [yield* bookedFor(made.id), yield* bookedFor(refused.id)]
      assert.sameDeepMembers(booked, [
        [-1_500_000n, -1_500_000n],
        [-1_500_000n, -1_500_000n, 1_500_000n]
      ])
      assert.deepStrictEqual([yield* totals(made.id), yield* totals(refused.id)], [[1_500_000n], [1_500_000n]])
    })
  )

  it.effect("does not touch a renewal that is charged in the same minute", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      yield* TestClock.adjust("648 hours")
      yield* Expiry.run
      yield* AutoRenewal.run
      yield* reprice(110)
      yield* ProxyChangeRecovery.run
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "active")
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_500_000n])
    })
  )

  it.effect("leaves each simultaneous extension at one of the two prices, the same in the change and the ledger", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const proxies = yield* Effect.forEach(Array.from({ length: 12 }), () => proxy("Datacenter"))
      const extend = ({ caller, order }: (typeof proxies)[number]) =>
        ProxyChanges.use((_) => _.extend(caller, order, { months: 2 }, undefined))
      const [first = [], second = []] = [proxies.slice(0, 6), proxies.slice(6)].map((half) => half.map(extend))
      yield* Effect.all([...first, reprice(200), ...second], { concurrency: 6 })
      for (const { id } of proxies) {
        const [total = 0n] = yield* totals(id)
        assert.include([3_000_000n, 6_000_000n], total)
        assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -total])
        assert.deepInclude((yield* changesOf(id))[0], { status: "applied" })
      }
    })
  )
})
