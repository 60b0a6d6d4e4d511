import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Fiber, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import * as Expiry from "../../../src/orders/proxies/Expiry.ts"
import { ProxyManagement } from "../../../src/orders/proxies/ProxyManagement.ts"
import { OrderCancellation } from "../../../src/orders/checkout/OrderCancellation.ts"
import * as ProxySyncRounds from "../../../src/orders/proxies/ProxySyncRounds.ts"
import { Wakes } from "../../../src/platform/postgres/Wakes.ts"
import * as PaymentExpiry from "../../../src/wallet/payments/PaymentExpiry.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { held, waiting } from "../../support/Locks.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { layer as extending, orderOf } from "../changes/ProxyChangeTesting.ts"
import { layer as paying } from "../checkout/OrderPaymentsTesting.ts"
import { changes, eventsOf, watched, watchedWaiting } from "./ProxyStatusTesting.ts"

/** The endpoints of the sender's notifications. Other tests use the same database. */
const toldOf = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const told = yield* sql.listen("webhook_delivery")
  const next = Effect.map(Queue.take(told), ({ payload }) => payload)
  const until = (endpoint: string) => Effect.repeat(next, { until: (word) => word === endpoint })
  // Notifications arrive in the order in which this process sends them.
  const all = Effect.suspend(() => {
    const last = randomUUID()
    return Effect.andThen(
      Wakes.use(({ wake }) => wake("webhook_delivery", [last])),
      until(last)
    )
  })
  return { next, until, all }
})

layer(Layer.merge(extending, paying))("Events of proxies", (it) => {
  it.effect("a provisioned proxy makes an event with one due delivery and the order of that moment", () =>
    Effect.gen(function* () {
      const { endpoint, id, user } = yield* watched("Datacenter")
      const order = yield* orderOf(user, id)
      const [event, ...others] = yield* eventsOf(id)
      assert.lengthOf(others, 0)
      const at = DateTime.toDate(order.updated_at)
      assert.deepStrictEqual(event, {
        user_id: user,
        is_test: false,
        change_source: "status_changed",
        host: "192.0.2.10",
        port: order.port,
        protocol: "HTTP",
        status: "active",
        previous_status: "pending",
        expires_at: order.expires_at && DateTime.toDate(order.expires_at),
        occurred_at: at,
        deliveries: [{ endpoint_id: endpoint, status: "pending", attempt: 0, next_attempt_at: at, finished_at: null }]
      })
    })
  )

  it.effect("each end of a proxy makes an event with the time of the end", () =>
    Effect.gen(function* () {
      const { id, user } = yield* watched("Datacenter")
      const times = [(yield* orderOf(user, id)).updated_at]
      for (const wait of ["27 days", "3 days"] as const) {
        yield* TestClock.adjust(wait)
        yield* Expiry.run
        yield* Expiry.run
        times.push(yield* DateTime.now)
      }
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(changes(events), ["pending → active", "active → expiring", "expiring → expired"])
      assert.deepStrictEqual(
        events.map(({ occurred_at }) => occurred_at),
        times.map(DateTime.toDate)
      )
      assert.deepStrictEqual(
        events.map(({ deliveries }) => deliveries.length),
        [1, 1, 1]
      )
    })
  )

  it.effect("proxies make every event once, even if two jobs run after 400 days without one", () =>
    Effect.gen(function* () {
      const { ids } = yield* watched("Datacenter", { quantity: 3 })
      yield* TestClock.adjust("400 days")
      yield* Effect.all([Expiry.run, Expiry.run], { concurrency: 2 })
      for (const id of ids)
        assert.deepStrictEqual(changes(yield* eventsOf(id)), [
          "pending → active",
          "active → expiring",
          "expiring → expired"
        ])
    })
  )

  it.effect("an extension of an expiring proxy makes an event with the new end; of an active proxy, none", () =>
    Effect.gen(function* () {
      const { caller, id, user } = yield* watched("Residential")
      const extend = Effect.flatMap(orderOf(user, id), (order) =>
        ProxyChanges.use((_) => _.extend(caller, order, { months: 1 }, undefined))
      )
      yield* extend
      assert.deepStrictEqual(changes(yield* eventsOf(id)), ["pending → active"])
      yield* TestClock.adjust("58 days")
      yield* Expiry.run
      yield* extend
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(changes(events), ["pending → active", "active → expiring", "expiring → active"])
      const { expires_at } = yield* orderOf(user, id)
      assert.deepStrictEqual(events.at(-1)?.expires_at, expires_at && DateTime.toDate(expires_at))
    })
  )

  it.effect("an answer of a provider makes an event with its values when it changes the status", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { id } = yield* watched("Datacenter")
      yield* TestClock.adjust("28 days")
      yield* Expiry.run
      const expires_at = DateTime.add(yield* DateTime.now, { days: 30 })
      memory.edit(id, { expires_at, host: "198.51.100.7", port: 3128, protocol: "SOCKS5" })
      yield* ProxySyncRounds.run
      memory.edit(id, { port: 3129 })
      yield* TestClock.adjust("1 hour")
      yield* ProxySyncRounds.run
      memory.edit(id, { is_live: false })
      yield* TestClock.adjust("1 hour")
      yield* ProxySyncRounds.run
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(
        events.slice(2).map(({ host, port, protocol, expires_at }) => [host, port, protocol, expires_at]),
        [
          ["198.51.100.7", 3128, "SOCKS5", DateTime.toDate(expires_at)],
          ["198.51.100.7", 3129, "SOCKS5", DateTime.toDate(expires_at)]
        ]
      )
      assert.deepStrictEqual(changes(events).slice(2), ["expiring → active", "active → cancelled"])
    })
  )

  it.effect("the release of a mobile proxy makes an event", () =>
    Effect.gen(function* () {
      const { caller, id } = yield* watched("Mobile")
      yield* ProxyManagement.use((_) => _.release(caller, id))
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(changes(events), ["pending → active", "active → cancelled"])
      assert.deepStrictEqual(events[0]?.host, events[1]?.host)
    })
  )

  it.effect("an order that ends before it has a proxy makes no events", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      memory.next("refuse")
      const refused = yield* watched("Datacenter")
      assert.strictEqual((yield* orderOf(refused.user, refused.id)).status, "refunded")
      const [withdrawn, unpaid] = [yield* watchedWaiting, yield* watchedWaiting]
      yield* OrderCancellation.use((_) => _.cancel(withdrawn.user, withdrawn.id))
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      for (const { id, user } of [refused, withdrawn, unpaid]) {
        assert.strictEqual((yield* orderOf(user, id)).proxy_status, "cancelled")
        assert.deepStrictEqual(yield* eventsOf(id), [])
      }
    })
  )

  it.effect("changes while no endpoint of the account is enabled are not recorded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [none, disabled, deleted] = [
        yield* watched("Datacenter"),
        yield* watched("Datacenter"),
        yield* watched("Datacenter")
      ]
      yield* sql`DELETE FROM webhook_endpoint WHERE user_id = ${none.user}`
      yield* sql`UPDATE webhook_endpoint SET enabled = false WHERE user_id = ${disabled.user}`
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = ${now} WHERE id = ${deleted.user}`
      yield* TestClock.adjust("28 days")
      yield* Expiry.run
      for (const { id, user } of [none, disabled, deleted]) {
        assert.strictEqual((yield* orderOf(user, id)).proxy_status, "expiring")
        assert.deepStrictEqual(changes(yield* eventsOf(id)), ["pending → active"])
      }
      yield* Fixtures.newEndpoint(none.user)
      yield* TestClock.adjust("3 days")
      yield* Expiry.run
      assert.deepStrictEqual(changes(yield* eventsOf(none.id)), ["pending → active", "expiring → expired"])
      assert.deepStrictEqual(changes(yield* eventsOf(disabled.id)), ["pending → active"])
    })
  )

  it.effect("a change that is rolled back makes no event", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* watched("Datacenter")
      yield* TestClock.adjust("28 days")
      const failed = sql.withTransaction(Effect.andThen(Expiry.run, Effect.fail("power cut")))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(failed)))
      assert.deepStrictEqual(changes(yield* eventsOf(id)), ["pending → active"])
      yield* Expiry.run
      assert.deepStrictEqual(changes(yield* eventsOf(id)), ["pending → active", "active → expiring"])
    })
  )

  it.effect(
    "a change never has an earlier time than the change before it, even if the clock of the instance is late",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.adjust("1 hour")
        const { id, user } = yield* watched("Datacenter")
        const { updated_at } = yield* orderOf(user, id)
        const late = DateTime.toDate(DateTime.subtract(updated_at, { minutes: 1 }))
        yield* sql`UPDATE proxy_order SET proxy_status = 'expiring', updated_at = ${late} WHERE id = ${id}`
        assert.deepStrictEqual((yield* eventsOf(id))[1]?.occurred_at, DateTime.toDate(updated_at))
        assert.deepStrictEqual((yield* orderOf(user, id)).updated_at, updated_at)
      })
  )

  it.effect(
    "the sender gets a notification when a proxy is delivered, expires, and is extended, synced or cancelled",
    () =>
      Effect.gen(function* () {
        const memory = yield* MemoryProvider
        const told = yield* toldOf
        const { caller, endpoint, id, user } = yield* watched("Residential")
        yield* told.until(endpoint)
        yield* TestClock.adjust("28 days")
        yield* Expiry.run
        yield* told.until(endpoint)
        const order = yield* orderOf(user, id)
        yield* ProxyChanges.use((_) => _.extend(caller, order, { months: 1 }, undefined))
        yield* told.until(endpoint)
        yield* TestClock.adjust("30 days")
        yield* Expiry.run
        yield* told.until(endpoint)
        memory.edit(id, { expires_at: DateTime.add(yield* DateTime.now, { days: 30 }) })
        yield* ProxySyncRounds.run
        yield* told.until(endpoint)
        memory.edit(id, { is_live: false })
        yield* TestClock.adjust("1 hour")
        yield* ProxySyncRounds.run
        yield* told.until(endpoint)
        assert.deepStrictEqual(changes(yield* eventsOf(id)).length, 6)
      }).pipe(Effect.scoped)
  )

  it.effect("the sender gets one notification for each endpoint when proxies expire together", () =>
    Effect.gen(function* () {
      const told = yield* toldOf
      const both = [yield* watched("Datacenter"), yield* watched("Datacenter", { quantity: 3 })]
      yield* told.all
      for (const wait of ["28 days", "3 days"] as const) {
        yield* TestClock.adjust(wait)
        yield* Expiry.run
        const words: Array<string> = []
        while (!both.every(({ endpoint }) => words.includes(endpoint))) words.push(yield* told.next)
        assert.lengthOf(new Set(words), words.length)
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each(["endpoint", "account"] as const)(
    "a change during the deletion of the %s waits for it, and makes no event",
    (what) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id, user } = yield* watched("Datacenter")
        yield* TestClock.adjust("28 days")
        const now = DateTime.toDate(yield* DateTime.now)
        const { open, running } = yield* held(
          what === "endpoint"
            ? sql`DELETE FROM webhook_endpoint WHERE user_id = ${user}`
            : sql`UPDATE user_account SET email = NULL, deleted_at = ${now} WHERE id = ${user}`
        )
        const changing = yield* Effect.forkChild(Expiry.run)
        yield* waiting(1)
        yield* open
        yield* Effect.all([Fiber.join(running), Fiber.join(changing)])
        assert.strictEqual((yield* orderOf(user, id)).proxy_status, "expiring")
        assert.deepStrictEqual(changes(yield* eventsOf(id)), ["pending → active"])
      })
  )

  it.effect("a change does not wait for a change of its endpoint, and does not make its deletion fail", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, user } = yield* watched("Datacenter")
      yield* TestClock.adjust("28 days")
      const settling = yield* held(sql`UPDATE webhook_endpoint SET failing_since = created_at WHERE user_id = ${user}`)
      const changing = yield* held(Expiry.run)
      yield* settling.open
      yield* Fiber.join(settling.running)
      const deleting = yield* Effect.forkChild(sql`DELETE FROM webhook_endpoint WHERE user_id = ${user}`)
      yield* waiting(1)
      yield* changing.open
      yield* Effect.all([Fiber.join(changing.running), Fiber.join(deleting)])
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(changes(events), ["pending → active", "active → expiring"])
      assert.deepStrictEqual(
        events.map(({ deliveries }) => deliveries),
        [[], []]
      )
    })
  )
})
