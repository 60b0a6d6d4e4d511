import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import * as AutoRenewal from "../../../src/orders/changes/AutoRenewal.ts"
import { AutoRenewalRepo } from "../../../src/orders/changes/AutoRenewalRepo.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyHistory } from "../../../src/orders/proxies/ProxyHistory.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import { firstRenewal } from "../../../src/orders/changes/ProxyChangeTerms.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import { datacenter, mobile, residential } from "../../support/MemoryOffers.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { bookedFor, changesOf, layer as domain, noticesOf, orderOf, proxy } from "./ProxyChangeTesting.ts"

/** Every job that renewals need, in the order that repairs a mistake latest. */
const jobs = Effect.andThen(Expiry.run, Effect.andThen(AutoRenewal.run, ProxyChangeRecovery.run))

const jobsAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), jobs)

layer(domain)("AutoRenewal", (it) => {
  it.effect("the job renews a static proxy by a month when it becomes expiring, and sends its owner a notice", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Residential", { auto_renew: true })
      yield* jobsAfter("647 hours")
      assert.deepStrictEqual(yield* changesOf(id), [])
      yield* jobsAfter("1 hour")
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual([renewed.proxy_status, renewed.bandwidth_gb, renewed.renew_at], ["active", 100, null])
      assert.deepStrictEqual(renewed.expires_at, order.expires_at && DateTime.add(order.expires_at, { months: 1 }))
      assert.deepStrictEqual(yield* changesOf(id), [
        { kind: "append", origin: "auto_renew", status: "applied", detail: null }
      ])
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -3_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "proxy_renewed"])
    })
  )

  it.effect("the job renews a mobile proxy by its tariff", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Mobile", { auto_renew: true })
      yield* jobsAfter("135 hours")
      const renewed = yield* orderOf(user, id)
      assert.deepStrictEqual([renewed.proxy_status, renewed.period_days], ["active", 7])
      assert.deepStrictEqual(renewed.expires_at, DateTime.add(yield* DateTime.now, { days: 7 }))
      assert.isTrue(order.expires_at !== null && renewed.expires_at !== null && renewed.expires_at > order.expires_at)
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n, -9_000_000n])
    })
  )

  it.effect("the renewal that an owner is told of is the one that is charged, at this time and price", () =>
    Effect.gen(function* () {
      const changes = yield* ProxyChanges
      const catalog = yield* Catalog
      for (const [name, wanted] of [
        ["Residential", { bandwidth_gb: 60 }],
        ["Mobile", {}],
        ["Datacenter", {}]
      ] as const) {
        const { id, order, user } = yield* proxy(name, { ...wanted, auto_renew: true })
        const { charged_at, terms } = Option.getOrThrow(yield* changes.renewal(order))
        const first = firstRenewal(yield* catalog.offer(order.offer_id), order)
        const { currency, period_days, period_months, total } = terms
        assert.deepStrictEqual(
          [first?.currency, first?.total, first?.period_days, first?.period_months],
          [currency, total, period_days, period_months]
        )
        const paid = yield* bookedFor(id)
        yield* jobsAfter(Duration.subtract(DateTime.distance(yield* DateTime.now, charged_at), Duration.minutes(1)))
        assert.deepStrictEqual(yield* bookedFor(id), paid)
        yield* jobsAfter("1 minute")
        assert.deepStrictEqual(yield* bookedFor(id), [...paid, -total])
        yield* changes.setAutoRenew(Testing.session(user), yield* orderOf(user, id), false)
        yield* jobsAfter("60 days")
        assert.isTrue(Option.isNone(yield* changes.renewal(yield* orderOf(user, id))))
      }
    })
  )

  it.effect("a proxy that ends soon would be renewed as soon as auto-renew is turned on", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter")
      yield* jobsAfter("700 hours")
      const changes = yield* ProxyChanges
      const { charged_at } = Option.getOrThrow(yield* changes.renewal(yield* orderOf(user, id)))
      assert.deepStrictEqual(charged_at, yield* DateTime.now)
      yield* changes.setAutoRenew(Testing.session(user), yield* orderOf(user, id), true)
      yield* jobs
      assert.lengthOf(yield* bookedFor(id), 2)
    })
  )

  it.effect(
    "a wallet with too little money gets one notice, is tried every hour and renews as soon as it can pay",
    () =>
      Effect.gen(function* () {
        const { id, user } = yield* proxy("Datacenter", { auto_renew: true, balance: 2_000_000n })
        yield* jobsAfter("648 hours")
        const { events } = yield* ProxyHistory.use((history) => history.list(user, id, { limit: 1, offset: 0 }))
        assert.deepInclude(events[0], { kind: "renewal_failed", actor: "service", reason: "balance" })
        assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
        for (let hour = 0; hour < 5; hour++) yield* jobsAfter("1 hour")
        assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
        assert.strictEqual(yield* Testing.balanceOf(user), 500_000n)
        yield* Fixtures.fund(user, 1_000_000n)
        yield* jobsAfter("59 minutes")
        assert.strictEqual((yield* orderOf(user, id)).proxy_status, "expiring")
        yield* jobsAfter("1 minute")
        const renewed = yield* orderOf(user, id)
        assert.deepStrictEqual([renewed.proxy_status, renewed.renewal_failed_at], ["active", null])
        assert.strictEqual(yield* Testing.balanceOf(user), 0n)
        yield* jobsAfter("31 days")
        assert.deepStrictEqual(yield* noticesOf(user), [
          "proxy_expiring",
          "renewal_failed",
          "proxy_renewed",
          "proxy_expiring",
          "renewal_failed"
        ])
      })
  )

  it.effect("the proxy expires when its wallet stays without the money", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true, balance: 1_500_000n })
      for (const wait of ["27 days", "71 hours", "1 hour", "1 hour"] as const) yield* jobsAfter(wait)
      const { proxy_status, status } = yield* orderOf(user, id)
      assert.deepStrictEqual([status, proxy_status], ["expired", "expired"])
      assert.deepStrictEqual(yield* changesOf(id), [])
    })
  )

  it.effect("several instances renew a proxy once", () =>
    Effect.gen(function* () {
      const { id } = yield* proxy("Datacenter", { auto_renew: true })
      const memory = yield* MemoryProvider
      const calls = memory.count("extend")
      yield* TestClock.adjust("648 hours")
      yield* Effect.all([Expiry.run, Expiry.run], { concurrency: 2 })
      yield* Effect.all([AutoRenewal.run, AutoRenewal.run, AutoRenewal.run], { concurrency: 3 })
      yield* Effect.all([ProxyChangeRecovery.run, ProxyChangeRecovery.run], { concurrency: 2 })
      assert.lengthOf(yield* changesOf(id), 1)
      assert.strictEqual(memory.count("extend"), calls + 1)
      const sql = yield* SqlClient.SqlClient
      const twice = sql`
        INSERT INTO proxy_change SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
        FROM proxy_change c WHERE order_id = ${id}
      `
      assert.strictEqual((yield* Effect.flip(twice)).reason._tag, "UniqueViolation")
    })
  )

  it.effect("switching auto-renew on while the proxy is expiring renews it, switching it off again prevents that", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter")
      const setAutoRenew = (enabled: boolean) =>
        Effect.flatMap(orderOf(user, id), (order) =>
          ProxyChanges.use((_) => _.setAutoRenew(Testing.session(user), order, enabled))
        )
      yield* jobsAfter("650 hours")
      yield* setAutoRenew(true)
      yield* setAutoRenew(false)
      yield* jobsAfter("1 minute")
      assert.deepStrictEqual(yield* changesOf(id), [])
      yield* setAutoRenew(true)
      yield* jobsAfter("1 second")
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "active")
    })
  )

  it.effect("a renewal that the provider refuses is refunded, leads to one notice and is tried again", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      const memory = yield* MemoryProvider
      memory.nextChange("refuse", "refuse")
      yield* jobsAfter("648 hours")
      yield* jobsAfter("1 hour")
      yield* jobsAfter("1 hour")
      assert.deepStrictEqual(
        (yield* changesOf(id)).map(({ status }) => status),
        ["refused", "refused", "applied"]
      )
      assert.deepStrictEqual(yield* bookedFor(id), [
        -1_500_000n,
        -1_500_000n,
        1_500_000n,
        -1_500_000n,
        1_500_000n,
        -1_500_000n
      ])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed", "proxy_renewed"])
    })
  )

  it.effect("a proxy is not charged for when its provider is switched off", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      yield* TestClock.adjust("648 hours")
      yield* Effect.provide(jobs, Providers.layerOf())
      assert.lengthOf(yield* bookedFor(id), 1)
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "renewal_failed"])
    })
  )

  it.effect("the job buys a renewal that another change or a crash delayed, also in the last hour of the proxy", () =>
    Effect.gen(function* () {
      const { caller, id, order, user } = yield* proxy("Residential", { auto_renew: true })
      const crashed = yield* proxy("Datacenter", { auto_renew: true })
      const memory = yield* MemoryProvider
      const repo = yield* AutoRenewalRepo
      yield* TestClock.adjust("719 hours")
      yield* TestClock.adjust("30 minutes")
      yield* Expiry.run
      memory.nextChange("time_out")
      yield* Effect.flip(ProxyChanges.use((_) => _.addTraffic(caller, order, { bandwidth_gb: 1 }, undefined)))
      yield* Effect.provide(AutoRenewal.run, Layer.mock(Wallets)({ charge: () => Effect.die("a crash") }))
      assert.deepStrictEqual(yield* repo.claim(yield* DateTime.now, yield* DateTime.now, 10), [])
      yield* TestClock.adjust("20 seconds")
      yield* ProxyChangeRecovery.run
      yield* jobsAfter("2 minutes")
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "active")
      assert.strictEqual((yield* orderOf(crashed.user, crashed.id)).proxy_status, "active")
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "proxy_renewed"])
    })
  )

  it.effect("a paid renewal that is missing at the provider leads to a notice and not to a second payment", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Datacenter", { auto_renew: true })
      yield* jobsAfter("648 hours")
      const sql = yield* SqlClient.SqlClient
      const { expires_at, expiring_at } = order
      const taken = { expires_at: expires_at && DateTime.toDate(expires_at), proxy_status: "expiring" }
      yield* sql`
        UPDATE proxy_order SET ${sql.update({ ...taken, expiring_at: expiring_at && DateTime.toDate(expiring_at) })}
        WHERE id = ${id}
      `
      yield* jobsAfter("1 minute")
      yield* jobsAfter("1 hour")
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_expiring", "proxy_renewed", "renewal_failed"])
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_500_000n])
    })
  )

  it.effect("traffic that the customer added does not make the renewal dearer", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const [, week] = mobile.options
      const large = { ...week!, bandwidth_gb: 30, prices: { USD: 12_000_000n, STAR: null } }
      const price_per_gb = { USD: 500_000n, STAR: null }
      const offer = { ...mobile, is_available: true, price_per_gb, options: [...mobile.options, large] }
      memory.setOffers([datacenter, residential, offer])
      const sync = Effect.andThen(
        Effect.provide(CatalogSync.run, CatalogWriter.layer),
        Catalog.use((_) => _.refresh)
      )
      yield* sync
      const { caller, id, order, user } = yield* proxy("Mobile", { auto_renew: true })
      yield* ProxyChanges.use((_) => _.addTraffic(caller, order, { bandwidth_gb: 10 }, undefined))
      assert.strictEqual((yield* orderOf(user, id)).bandwidth_gb, 30)
      yield* jobsAfter("135 hours")
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n, -5_000_000n, -9_000_000n])
      assert.strictEqual((yield* orderOf(user, id)).bandwidth_gb, 20)
    })
  )

  it.effect("a deleted account renews nothing", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter", { auto_renew: true })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE user_account SET email = NULL, name = NULL, password_hash = NULL, email_verified = false,
          deleted_at = ${new Date(0)}
        WHERE id = ${user}
      `
      yield* jobsAfter("648 hours")
      yield* jobsAfter("1 hour")
      assert.strictEqual((yield* orderOf(user, id)).proxy_status, "expiring")
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
    })
  )

  it.effect("a customer can switch auto-renew off while the provider is down", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id, order, user } = yield* proxy("Mobile", { auto_renew: true })
      memory.setDown(true)
      const answer = yield* ProxyChanges.use((_) => _.setAutoRenew(Testing.session(order.user_id), order, false))
      memory.setDown(false)
      assert.deepStrictEqual([answer.status, answer.auto_renew], ["active", false])
      assert.isFalse((yield* orderOf(user, id)).auto_renew)
    })
  )
})
