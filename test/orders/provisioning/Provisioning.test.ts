import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import * as OrphanRelease from "../../../src/orders/provisioning/OrphanRelease.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { Provisioning } from "../../../src/orders/provisioning/Provisioning.ts"
import { ProvisioningRepo } from "../../../src/orders/provisioning/ProvisioningRepo.ts"
import * as ProvisioningRecovery from "../../../src/orders/provisioning/ProvisioningRecovery.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import { type Behaviour, MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { settled } from "../../support/Settled.ts"

/** Runs a request until it stops waiting, after 10 virtual seconds. */
const impatiently = Effect.fnUntraced(function* <A, E, R>(request: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(request)
  yield* settled
  yield* TestClock.adjust("10 seconds")
  return yield* Fiber.join(fiber)
})

/** Buys an order whose first call the provider answers by `behaviour`; the fields observe that order. */
const ordered = Effect.fnUntraced(function* (behaviour: Behaviour) {
  const caller = yield* Testing.buyer(2_000_000n)
  const memory = yield* MemoryProvider
  const placement = yield* OrderPlacement
  memory.next(behaviour)
  const placing = placement.place(caller, yield* Testing.request(), undefined)
  const { orders } = yield* typeof behaviour === "object" ? impatiently(placing) : placing
  const id = OrderId.make(orders[0]?.id ?? "")
  const status = Effect.map(
    Orders.use((orders) => orders.get(caller.user_id, id)),
    (order) => order.status
  )
  return { id, user_id: caller.user_id, status, memory, balance: Testing.balanceOf(caller.user_id) }
})

const recoverAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), ProvisioningRecovery.run)

layer(Testing.layer)("Provisioning", (it) => {
  it.effect("a provider that times out after provisioning leads to one proxy and one charge", () =>
    Effect.gen(function* () {
      const order = yield* ordered("time_out")
      assert.strictEqual(yield* order.status, "paid")
      yield* recoverAfter("30 seconds")
      assert.strictEqual(yield* order.status, "provisioned")
      assert.strictEqual(order.memory.count("provision", order.id), 1)
      assert.strictEqual(yield* order.balance, 500_000n)
    })
  )

  it.effect("a call that was dropped is looked up until the outcome is certain, then repeated", () =>
    Effect.gen(function* () {
      const order = yield* ordered("drop")
      yield* recoverAfter("30 seconds")
      assert.strictEqual(yield* order.status, "paid")
      assert.strictEqual(order.memory.count("provision", order.id), 1)
      yield* recoverAfter("3 minutes")
      yield* recoverAfter("1 second")
      assert.strictEqual(yield* order.status, "provisioned")
      assert.strictEqual(order.memory.count("provision", order.id), 2)
      assert.strictEqual(yield* order.balance, 500_000n)
    })
  )

  it.effect("an order is refunded when its account was deleted before the call", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const order = yield* ordered("unavailable")
      assert.strictEqual(yield* order.status, "paid")
      yield* sql`UPDATE user_account SET email = NULL, deleted_at = created_at WHERE id = ${order.user_id}`
      yield* recoverAfter("1 minute")
      assert.strictEqual(yield* order.status, "refunded")
      assert.strictEqual(order.memory.count("provision", order.id), 1)
      assert.strictEqual(yield* order.balance, 2_000_000n)
    })
  )

  it.effect("a provider that is down for a moment is asked again", () =>
    Effect.gen(function* () {
      const order = yield* ordered("unavailable")
      yield* recoverAfter("1 second")
      assert.strictEqual(order.memory.count("provision", order.id), 1)
      yield* recoverAfter("30 seconds")
      assert.strictEqual(yield* order.status, "provisioned")
    })
  )

  it.effect("an order is refunded when its provider stays down", () =>
    Effect.gen(function* () {
      const order = yield* ordered("unavailable")
      order.memory.setDown(true)
      yield* recoverAfter("30 seconds")
      assert.strictEqual(yield* order.status, "paid")
      yield* recoverAfter("20 minutes")
      assert.strictEqual(yield* order.status, "refunded")
      assert.strictEqual(yield* order.balance, 2_000_000n)
      order.memory.setDown(false)
      yield* recoverAfter("2 hours")
      assert.strictEqual(yield* order.balance, 2_000_000n)
    })
  )

  it.effect(
    "an order is refunded when its outcome cannot be looked up, and its proxy is released when it turns up",
    () =>
      Effect.gen(function* () {
        const order = yield* ordered("time_out")
        order.memory.setDown(true)
        yield* recoverAfter("20 minutes")
        assert.strictEqual(yield* order.status, "paid")
        yield* recoverAfter("2 hours")
        assert.strictEqual(yield* order.status, "refunded")
        assert.strictEqual(yield* order.balance, 2_000_000n)
        yield* OrphanRelease.run
        assert.isFalse(order.memory.leases.get(order.id)?.released)
        order.memory.setDown(false)
        yield* TestClock.adjust("10 minutes")
        yield* OrphanRelease.run
        assert.isTrue(order.memory.leases.get(order.id)?.released)
      })
  )

  it.effect("a proxy that turns up and cannot be released leads to one error in the log, and waits for the staff", () =>
    Effect.gen(function* () {
      const order = yield* ordered("time_out")
      order.memory.setDown(true)
      yield* recoverAfter("20 minutes")
      yield* recoverAfter("2 hours")
      order.memory.setDown(false)
      const { release: _, ...provider } = order.memory.provider
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void told.push(`${logLevel} ${String(message)}`))
      for (let round = 0; round < 2; round++) {
        yield* TestClock.adjust("10 minutes")
        yield* OrphanRelease.run.pipe(Effect.provide(Layer.merge(Providers.layerOf(provider), Logger.layer([logger]))))
      }
      const { provider_proxy_id } = order.memory.leases.get(order.id)!.proxy
      const [line, ...more] = told.filter((line) => line.includes(provider_proxy_id))
      assert.match(line ?? "", /^Error .*release it by hand/)
      assert.lengthOf(more, 0)
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql`SELECT outcome FROM provisioning_attempt WHERE order_id = ${order.id}`
      assert.deepStrictEqual(attempts, [{ outcome: "orphaned" }])
    })
  )

  it.effect("the second order is refunded when a provider answers one proxy for two orders", () =>
    Effect.gen(function* () {
      const first = yield* ordered("succeed")
      const proxy = first.memory.leases.get(first.id)!.proxy
      const second = yield* ordered("unavailable")
      const third = yield* ordered("unavailable")
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void told.push(`${logLevel} ${String(message)}`))
      const confused = (found: typeof proxy) => {
        const answer = () => Effect.succeed(found)
        const providers = Providers.layerOf({ ...first.memory.provider, provision: answer, find: answer })
        return Layer.fresh(Provisioning.layer).pipe(Layer.provideMerge(providers), Layer.merge(Logger.layer([logger])))
      }
      yield* TestClock.adjust("30 seconds")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET provision_at = provision_at + interval '1 hour' WHERE id = ${third.id}`
      yield* Effect.provide(ProvisioningRecovery.run, confused(proxy))
      assert.deepStrictEqual([yield* second.status, yield* second.balance], ["refunded", 2_000_000n])
      assert.include(told.join("\n"), "Error A provider answered one proxy for two orders")
      yield* sql`UPDATE proxy_order SET provision_at = provision_at - interval '1 hour' WHERE id = ${third.id}`
      yield* Effect.provide(ProvisioningRecovery.run, confused({ ...proxy, expires_at: yield* DateTime.now }))
      assert.strictEqual(yield* third.status, "refunded")
      assert.deepStrictEqual([yield* first.status, proxy.is_live], ["provisioned", true])
      assert.isFalse(first.memory.leases.get(first.id)?.released)
    })
  )

  it.effect("the job does not release a proxy that another order has", () =>
    Effect.gen(function* () {
      const holder = yield* ordered("succeed")
      const { memory } = holder
      const order = yield* ordered("drop")
      memory.setDown(true)
      yield* recoverAfter("20 minutes")
      yield* recoverAfter("2 hours")
      assert.strictEqual(yield* order.status, "refunded")
      memory.setDown(false)
      const find = () => Effect.succeed(memory.leases.get(holder.id)?.proxy)
      yield* TestClock.adjust("10 minutes")
      yield* Effect.provide(OrphanRelease.run, Providers.layerOf({ ...memory.provider, find }))
      assert.isFalse(memory.leases.get(holder.id)?.released)
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql`SELECT outcome FROM provisioning_attempt WHERE order_id = ${order.id}`
      assert.deepStrictEqual(attempts, [{ outcome: "refused" }])
    })
  )

  it.effect("an order is refunded when its provider stays switched off", () =>
    Effect.gen(function* () {
      const order = yield* ordered("drop")
      const none = Layer.fresh(Provisioning.layer).pipe(Layer.provide(Providers.layerOf()))
      for (let hour = 0; hour < 3; hour++)
        yield* Effect.andThen(TestClock.adjust("1 hour"), Effect.provide(ProvisioningRecovery.run, none))
      assert.strictEqual(yield* order.status, "refunded")
    })
  )

  it.effect("a proxy that is found after its own end is released, and its order refunded", () =>
    Effect.gen(function* () {
      const order = yield* ordered("time_out")
      const healthy = yield* ordered("unavailable")
      yield* recoverAfter("31 days")
      assert.strictEqual(yield* order.status, "refunded")
      assert.isTrue(order.memory.leases.get(order.id)?.released)
      assert.strictEqual(yield* healthy.status, "provisioned")
    })
  )

  it.effect("a proxy that comes after its order was refunded is released", () =>
    Effect.gen(function* () {
      const order = yield* ordered({ after: "20 seconds" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET status = 'provisioning_failed' WHERE id = ${order.id}`
      yield* sql`UPDATE proxy_order SET status = 'refunded', proxy_status = 'cancelled' WHERE id = ${order.id}`
      yield* TestClock.adjust("15 seconds")
      yield* settled
      assert.isTrue(order.memory.leases.get(order.id)?.released)
    })
  )

  it.effect("after an outage of this service the provider is asked once more", () =>
    Effect.gen(function* () {
      const order = yield* ordered("drop")
      yield* recoverAfter("20 minutes")
      yield* recoverAfter("5 seconds")
      assert.strictEqual(yield* order.status, "provisioned")
    })
  )

  it.effect("an order is refunded when a defect prevents each of its look-ups", () =>
    Effect.gen(function* () {
      const order = yield* ordered("drop")
      const broken = { ...order.memory.provider, find: () => Effect.die(new Error("a fault of the adapter")) }
      const faulty = Layer.fresh(Provisioning.layer).pipe(Layer.provide(Providers.layerOf(broken)))
      for (let round = 0; round < 3; round++)
        yield* Effect.andThen(TestClock.adjust("40 minutes"), Effect.provide(ProvisioningRecovery.run, faulty))
      assert.strictEqual(yield* order.status, "refunded")
      assert.strictEqual(yield* order.balance, 2_000_000n)
    })
  )

  it.effect("a process that no longer holds an order cannot settle it", () =>
    Effect.gen(function* () {
      const repo = yield* ProvisioningRepo
      const order = yield* ordered("time_out")
      const stale = yield* Orders.use((orders) => orders.get(order.user_id, order.id))
      const now = yield* DateTime.now
      yield* repo.postpone(stale, DateTime.add(now, { minutes: 1 }))
      yield* repo.notExecuted(stale, "stale", now, now)
      assert.isFalse(yield* repo.failed(stale, "refused", "stale", now))
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql`SELECT outcome FROM provisioning_attempt WHERE order_id = ${order.id}`
      assert.deepStrictEqual(attempts, [{ outcome: null }])
      assert.strictEqual(yield* order.status, "paid")
    })
  )

  it.effect("each order of a large request is bought once while several processes work on it", () =>
    Effect.gen(function* () {
      const { user_id } = yield* Testing.buyer(100_000_000n)
      const memory = yield* MemoryProvider
      const placement = yield* OrderPlacement
      const quantity = 40
      memory.next(...Array.from({ length: quantity }, () => ({ after: "25 seconds" as const })))
      const placing = placement.place(Testing.session(user_id), yield* Testing.request({ quantity }), undefined)
      const { orders } = yield* impatiently(placing)
      for (let round = 0; round < 40; round++) {
        yield* Effect.forkChild(ProvisioningRecovery.run)
        yield* TestClock.adjust("5 seconds")
        yield* settled
      }
      assert.deepStrictEqual(
        orders.map(({ id }) => memory.count("provision", id)),
        orders.map(() => 1)
      )
      const { active } = yield* Orders.use((_) => _.counts(user_id, {}))
      assert.strictEqual(active, quantity)
      assert.isFalse(orders.some(({ id }) => memory.leases.get(id)?.released))
    })
  )

  it.effect("a process that does not hold the order does not call the provider", () =>
    Effect.gen(function* () {
      const order = yield* ordered("unavailable")
      const stale = yield* Orders.use((orders) => orders.get(order.user_id, order.id))
      yield* recoverAfter("30 seconds")
      assert.strictEqual(yield* order.status, "provisioned")
      yield* Provisioning.use((provisioning) => provisioning.provision(stale))
      assert.strictEqual(order.memory.count("provision", order.id), 2)
      assert.isFalse(order.memory.leases.get(order.id)?.released)
    })
  )
})
