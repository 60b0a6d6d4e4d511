import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import type { Probe, ProbeError } from "../../../src/orders/warranty/Probe.ts"
import * as ProbeCleanup from "../../../src/orders/warranty/ProbeCleanup.ts"
import * as ProbeRounds from "../../../src/orders/warranty/ProbeRounds.ts"
import { healthOf } from "../../../src/orders/warranty/ProxyHealth.ts"
import { ProxyHealthRepo } from "../../../src/orders/warranty/ProxyHealthRepo.ts"
import { ProxyProbes } from "../../../src/orders/warranty/ProxyProbes.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"

/** The next outcomes of probes, by order; those of others are good. */
const outcomes = new Map<string, ProbeError | null>()
let echoAnswers = true
let tried: Array<string> = []

const probes = Layer.succeed(
  ProxyProbes,
  ProxyProbes.of({
    probe: ({ id }) =>
      Effect.sync((): Probe => {
        tried.push(id)
        const times = { connect_ms: 10, tls_ms: null, first_byte_ms: 30 }
        return { vantage: "centre", ...times, exit_ip: null, expected_ip: null, error: outcomes.get(id) ?? null }
      }),
    echoAnswers: Effect.sync(() => echoAnswers)
  })
)

const services = Layer.merge(ProxyHealthRepo.layer, probes).pipe(Layer.provideMerge(Testing.layer))

/** Orders of a new buyer, whose proxies are tried in the background. */
const bought = Effect.fnUntraced(function* (quantity: number) {
  outcomes.clear()
  echoAnswers = true
  const caller = yield* Testing.buyer(100_000_000n)
  const placement = yield* OrderPlacement
  const { orders } = yield* placement.place(caller, yield* Testing.request({ quantity }), undefined)
  // Unlimited, so that a vendor's proxy is tried too.
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET bandwidth_gb = NULL WHERE user_id = ${caller.user_id}`
  tried = []
  return { caller, ids: orders.map(({ id }) => OrderId.make(id)) }
})

const round = Effect.andThen(
  ProbeRounds.run,
  Effect.sync(() => tried.splice(0))
)

layer(services)("The tries of proxies", (it) => {
  it.effect("reach each proxy once in its time, over all instances, and a failing one every 20 seconds", () =>
    Effect.gen(function* () {
      const { ids } = yield* bought(5)
      yield* ProbeRounds.adopt
      assert.deepStrictEqual(yield* round, [])
      yield* TestClock.adjust("301 seconds")
      yield* Effect.all([ProbeRounds.run, ProbeRounds.run, ProbeRounds.run], { concurrency: 3 })
      assert.sameMembers(tried.splice(0), ids)
      outcomes.set(ids[0]!, "timeout")
      yield* TestClock.adjust("600 seconds")
      assert.sameMembers(yield* round, ids)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* round, ids.slice(0, 1))
      assert.deepStrictEqual(yield* round, [])
    })
  )

  it.effect("are at most ten at a time, the longest due first", () =>
    Effect.gen(function* () {
      const { ids } = yield* bought(12)
      yield* ProbeRounds.adopt
      yield* TestClock.adjust("1 hour")
      const [first, second] = [yield* round, yield* round]
      assert.lengthOf(first, 10)
      assert.includeMembers([...first, ...second], ids)
    })
  )

  it.effect("leave metered vendors' proxies and suspended accounts out", () =>
    Effect.gen(function* () {
      const metered = yield* bought(1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET bandwidth_gb = 5 WHERE user_id = ${metered.caller.user_id}`
      const suspended = yield* bought(1)
      yield* ProbeRounds.adopt
      yield* sql`UPDATE user_account SET service_blocked = true WHERE id = ${suspended.caller.user_id}`
      yield* TestClock.adjust("1 hour")
      const ids = [...(yield* round), ...(yield* round), ...(yield* round)]
      assert.notIncludeMembers(ids, [...metered.ids, ...suspended.ids])
      const memory = yield* MemoryProvider
      Reflect.set(memory.provider, "probe", () => Effect.undefined)
      yield* ProbeRounds.adopt
      Reflect.deleteProperty(memory.provider, "probe")
      yield* TestClock.adjust("1 hour")
      assert.includeMembers([...(yield* round), ...(yield* round), ...(yield* round)], metered.ids)
    })
  )

  it.effect("say that a proxy fails after three failures in a row, and that it works after one success", () =>
    Effect.gen(function* () {
      const { ids } = yield* bought(1)
      const id = ids[0]!
      const repo = yield* ProxyHealthRepo
      yield* ProbeRounds.adopt
      yield* TestClock.adjust("1 hour")
      const after = Effect.fnUntraced(function* (error: ProbeError | null) {
        outcomes.set(id, error)
        while (!(yield* round).includes(id)) yield* TestClock.adjust("20 seconds")
        yield* TestClock.adjust("20 seconds")
        return healthOf(yield* repo.ofOrder(id))
      })
      assert.strictEqual(yield* after(null), "ok")
      assert.strictEqual(yield* after("timeout"), "unknown")
      // A try without an outcome neither counts nor ends the row.
      assert.strictEqual(yield* after("provider_down"), "unknown")
      assert.strictEqual(yield* after("unreachable"), "unknown")
      assert.strictEqual(yield* after("wrong_address"), "failing")
      const [failing] = yield* repo.ofOrder(id)
      assert.deepInclude(failing, { failures: 3, error: "wrong_address", failed_at: failing!.tried_at })
      assert.isBelow(failing!.failing_since!.epochMilliseconds, failing!.failed_at!.epochMilliseconds)
      assert.strictEqual(yield* after(null), "ok")
      const [works] = yield* repo.ofOrder(id)
      assert.deepInclude(works, { failures: 0, error: null, failing_since: null, failed_at: failing!.failed_at })
      const hours = yield* repo.hours(id, DateTime.makeUnsafe(0))
      const sum = (of: (hour: (typeof hours)[number]) => number) => hours.reduce((total, hour) => total + of(hour), 0)
      assert.deepStrictEqual([sum((hour) => hour.probes), sum((hour) => hour.failures)], [5, 3])
      assert.strictEqual(
        sum((hour) => Number(hour.first_byte_ms)),
        60
      )
    })
  )

  it.effect("count nothing and pause while the echo does not answer the service itself", () =>
    Effect.gen(function* () {
      const { ids } = yield* bought(12)
      const repo = yield* ProxyHealthRepo
      yield* ProbeRounds.adopt
      yield* TestClock.adjust("1 hour")
      for (const id of ids) outcomes.set(id, "timeout")
      echoAnswers = false
      while (!(yield* round).some((id) => outcomes.has(id))) yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* round, [])
      for (const id of ids) {
        assert.deepInclude((yield* repo.ofOrder(id))[0], { failures: 0, tried_at: null })
        assert.deepStrictEqual(yield* repo.hours(id, DateTime.makeUnsafe(0)), [])
      }
    })
  )

  it.effect("are kept for 31 days, and the state until the end of the proxy", () =>
    Effect.gen(function* () {
      const { caller, ids } = yield* bought(1)
      const id = ids[0]!
      const repo = yield* ProxyHealthRepo
      yield* ProbeRounds.adopt
      yield* TestClock.adjust("1 hour")
      while (!(yield* round).includes(id)) yield* TestClock.adjust("20 seconds")
      yield* TestClock.adjust("30 days")
      yield* ProbeCleanup.run
      assert.lengthOf(yield* repo.hours(id, DateTime.makeUnsafe(0)), 1)
      yield* TestClock.adjust("2 days")
      yield* ProbeCleanup.run
      assert.lengthOf(yield* repo.hours(id, DateTime.makeUnsafe(0)), 0)
      assert.lengthOf(yield* repo.ofOrder(id), 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled' WHERE user_id = ${caller.user_id}`
      yield* ProbeCleanup.run
      assert.lengthOf(yield* repo.ofOrder(id), 0)
    })
  )
})
