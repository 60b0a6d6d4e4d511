import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { GivenChanges } from "../../../src/orders/changes/GivenChanges.ts"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { OrderCare } from "../../../src/orders/care/OrderCare.ts"
import type { OrderId } from "../../../src/orders/Order.ts"
import * as OutageRounds from "../../../src/orders/warranty/OutageRounds.ts"
import { OutagesRepo } from "../../../src/orders/warranty/OutagesRepo.ts"
import type { ProbeError } from "../../../src/orders/warranty/Probe.ts"
import { ProxyChecks } from "../../../src/orders/warranty/ProxyChecks.ts"
import { ProxyHealthRepo } from "../../../src/orders/warranty/ProxyHealthRepo.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { killedAt } from "../../support/KilledAt.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { changesOf, layer as domain, noticesOf, orderOf, proxy } from "../changes/ProxyChangeTesting.ts"

const services = Layer.mergeAll(
  GivenChanges.layer,
  OrderCare.layer,
  OutagesRepo.layer,
  ProxyChecks.layer,
  ProxyHealthRepo.layer
).pipe(Layer.provideMerge([domain, RateLimit.layer]))

const said = (error: ProbeError | null) => ({
  vantage: "centre" as const,
  connect_ms: error === null ? 10 : null,
  tls_ms: null,
  first_byte_ms: error === null ? 20 : null,
  exit_ip: null,
  expected_ip: null,
  error
})

const tried = Effect.fnUntraced(function* (id: OrderId, error: ProbeError | null) {
  const repo = yield* ProxyHealthRepo
  const now = yield* DateTime.now
  yield* repo.record(id, said(error), now, now)
})

/** Lets time pass while the tries of some proxies fail and those of others succeed, with the job between. */
const pass = Effect.fnUntraced(function* (
  minutes: number,
  { fail = [], work = [] }: { readonly fail?: ReadonlyArray<OrderId>; readonly work?: ReadonlyArray<OrderId> }
) {
  for (let minute = 0; minute < minutes; minute++) {
    yield* TestClock.adjust("1 minute")
    for (const id of fail) yield* tried(id, "timeout")
    for (const id of work) yield* tried(id, null)
    yield* OutageRounds.run
  }
})

/** An outage of 20 minutes that ends now, and about which the job has decided nothing yet. */
const outage = Effect.fnUntraced(function* (id: OrderId, work: ReadonlyArray<OrderId>) {
  for (let count = 0; count < 3; count++) yield* tried(id, "timeout")
  for (const minutes of [6, 14] as const) {
    yield* TestClock.adjust(`${minutes} minutes`)
    for (const one of work) yield* tried(one, null)
    yield* tried(id, minutes === 6 ? "timeout" : null)
    if (minutes === 6) yield* OutageRounds.run
  }
})

/** A proxy for 1.50 dollars and 30 days that worked, and two others that go on working. */
const bought = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Proxies of other tests are over, so that they are no part of the picture.
  yield* sql`UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled' WHERE proxy_status IN ('active', 'expiring')`
  yield* sql`DELETE FROM proxy_health`
  const memory = yield* MemoryProvider
  // Only tries that no customer can disturb are credited.
  Reflect.set(memory.provider, "probe", () => Effect.undefined)
  memory.setSpare(1)
  const [one, second, third] = yield* Effect.all([proxy("Datacenter"), proxy("Datacenter"), proxy("Datacenter")])
  yield* TestClock.adjust("2 days")
  const work = [second.id, third.id]
  for (const id of [one.id, ...work]) yield* tried(id, null)
  // They are tried in the background.
  yield* sql`UPDATE proxy_health SET probe_at = tried_at`
  return { ...one, memory, work }
})

interface Credited {
  readonly amount: bigint
  readonly down_seconds: bigint
  readonly entries: number
}

const claimsOf = (id: OrderId) =>
  SqlClient.SqlClient.use(
    (sql) => sql<Credited>`
      SELECT c.amount, c.down_seconds, (
        SELECT count(*)::int FROM wallet_transaction t WHERE t.id = c.transaction_id AND t.reference = 'warranty:' || c.id
          AND (t.transaction_type, t.cause, t.amount) = ('deposit', 'warranty', c.amount)
      ) AS entries FROM warranty_claim c WHERE order_id = ${id}
    `
  )

const outagesOf = (id: OrderId) =>
  Effect.map(
    OutagesRepo.use((repo) => repo.ofOrder(id, DateTime.makeUnsafe(0), 10)),
    (outages) => outages.map(({ ended_by }) => ended_by)
  )

const refused = (statement: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(statement), ({ _tag }) => assert.strictEqual(_tag, "Failure"))

layer(services)("An outage", (it) => {
  it.effect("begins with the first failure in a row, ends with the first success, and is credited once", () =>
    Effect.gen(function* () {
      const { id, user, work } = yield* bought
      const before = yield* Testing.balanceOf(user)
      yield* pass(20, { fail: [id], work })
      assert.deepStrictEqual(yield* outagesOf(id), [null])
      assert.deepStrictEqual([...(yield* claimsOf(id))], [])
      yield* pass(1, { work: [id, ...work] })
      assert.deepStrictEqual(yield* outagesOf(id), ["works"])
      // From the first failure to the success are 20 minutes of 30 days for 1.50 dollars.
      const amount = (1_500_000n * 1_200n) / 2_592_000n
      assert.deepStrictEqual([...(yield* claimsOf(id))], [{ amount, down_seconds: 1_200n, entries: 1 }])
      yield* pass(2, { work: [id, ...work] })
      assert.strictEqual((yield* Testing.balanceOf(user)) - before, amount)
      assert.deepStrictEqual(yield* noticesOf(user), ["deposit_credited"])
    })
  )

  it.effect("is a share of the whole time that was paid for, also when its owner releases the proxy", () =>
    Effect.gen(function* () {
      const { id, work } = yield* bought
      yield* pass(20, { fail: [id], work })
      const sql = yield* SqlClient.SqlClient
      const at = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled', updated_at = ${at} WHERE id = ${id}`
      yield* pass(1, { work })
      assert.deepStrictEqual(yield* outagesOf(id), ["ended"])
      const amount = (1_500_000n * 1_140n) / 2_592_000n
      assert.deepStrictEqual([...(yield* claimsOf(id))], [{ amount, down_seconds: 1_140n, entries: 1 }])
    })
  )

  it.effect("does not begin where only the owner chooses when the proxy is tried", () =>
    Effect.gen(function* () {
      const { id, work } = yield* bought
      yield* SqlClient.SqlClient.use((sql) => sql`UPDATE proxy_health SET probe_at = NULL WHERE order_id = ${id}`)
      yield* pass(20, { fail: [id], work })
      assert.deepStrictEqual(yield* outagesOf(id), [])
    })
  )

  it.effect("that is short is on record, and not credited", () =>
    Effect.gen(function* () {
      const { id, work } = yield* bought
      yield* pass(10, { fail: [id], work })
      yield* pass(1, { work: [id, ...work] })
      assert.deepStrictEqual(yield* outagesOf(id), ["works"])
      assert.deepStrictEqual([...(yield* claimsOf(id))], [])
    })
  )

  it.effect("of a vendor whose proxies are tried with the customer's login is on record, and not credited", () =>
    Effect.gen(function* () {
      const { id, memory, work } = yield* bought
      Reflect.deleteProperty(memory.provider, "probe")
      yield* outage(id, work)
      yield* OutageRounds.run
      assert.deepStrictEqual([yield* outagesOf(id), (yield* claimsOf(id)).length], [["works"], 0])
    })
  )

  it.effect("of half an hour is replaced by itself, and credited", () =>
    Effect.gen(function* () {
      const { id, user, work } = yield* bought
      yield* pass(30, { fail: [id], work })
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      yield* pass(1, { fail: [id], work })
      assert.deepStrictEqual(
        [...(yield* changesOf(id))],
        [{ kind: "replace", origin: "warranty", status: "applied", detail: null }]
      )
      yield* pass(2, { work: [id, ...work] })
      assert.deepStrictEqual(yield* outagesOf(id), ["replaced"])
      assert.deepStrictEqual(
        (yield* claimsOf(id)).map(({ down_seconds }) => down_seconds),
        [1_800n]
      )
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_replaced", "deposit_credited"])
    })
  )

  it.effect(
    "waits for an address, and is not replaced where the customer wants none or another vantage reaches it",
    () =>
      Effect.gen(function* () {
        const { id, memory, work } = yield* bought
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE proxy_order SET auto_replace = false WHERE id = ${id}`
        yield* pass(32, { fail: [id], work })
        yield* sql`UPDATE proxy_order SET auto_replace = true WHERE id = ${id}`
        yield* sql`INSERT INTO proxy_health (order_id, vantage, tried_at, worked_at) VALUES (${id}, 'peer', to_timestamp(0), to_timestamp(0))`
        yield* pass(2, { fail: [id], work })
        assert.deepStrictEqual([...(yield* changesOf(id))], [])
        yield* sql`DELETE FROM proxy_health WHERE vantage = 'peer'`
        memory.nextChange("refuse")
        yield* pass(1, { fail: [id], work })
        assert.deepStrictEqual(
          (yield* changesOf(id)).map(({ status }) => status),
          ["refused"]
        )
        yield* pass(9, { fail: [id], work })
        assert.lengthOf(yield* changesOf(id), 1)
        yield* pass(2, { fail: [id], work })
        assert.deepStrictEqual(
          (yield* changesOf(id)).map(({ status }) => status),
          ["refused", "applied"]
        )
      })
  )

  it.effect("does not begin while most proxies fail at once, or none has worked for a day", () =>
    Effect.gen(function* () {
      const { id, user, work } = yield* bought
      yield* pass(40, { fail: [id, ...work] })
      for (const one of [id, ...work]) {
        assert.deepStrictEqual(yield* outagesOf(one), [])
        assert.deepStrictEqual([...(yield* changesOf(one))], [])
      }
      const order = yield* orderOf(user, id)
      const terms = yield* ProxyChecks.use((checks) => checks.terms(order))
      assert.deepStrictEqual(terms, { free: false, reason: "not_failing" })
      const alone = yield* bought
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM proxy_health WHERE order_id <> ${alone.id}`
      yield* sql`UPDATE proxy_health SET worked_at = NULL`
      yield* pass(40, { fail: [alone.id] })
      assert.deepStrictEqual(yield* outagesOf(alone.id), [])
    })
  )

  it.effect("lasts only as long as somebody tries the proxy", () =>
    Effect.gen(function* () {
      const { id, work } = yield* bought
      yield* pass(10, { fail: [id], work })
      yield* pass(32, { work })
      assert.deepStrictEqual(yield* outagesOf(id), ["untried"])
      assert.deepStrictEqual([...(yield* claimsOf(id))], [])
      // The time without tries is no outage.
      yield* pass(7, { fail: [id], work })
      yield* pass(1, { work: [id, ...work] })
      assert.deepStrictEqual(yield* outagesOf(id), ["works", "untried"])
      const [later, earlier] = yield* OutagesRepo.use((repo) => repo.ofOrder(id, DateTime.makeUnsafe(0), 10))
      assert.isAtLeast(later!.from_at.epochMilliseconds - earlier!.to_at!.epochMilliseconds, 33 * 60_000)
      yield* pass(7, { fail: [id], work })
      yield* TestClock.adjust("40 minutes")
      for (const one of [id, ...work]) yield* tried(one, null)
      yield* OutageRounds.run
      assert.deepStrictEqual(yield* outagesOf(id), ["untried", "works", "untried"])
      assert.deepStrictEqual([...(yield* claimsOf(id))], [])
    })
  )

  it.effect("is credited once by two instances, and once or not at all by one that dies at any statement", () =>
    Effect.gen(function* () {
      for (let last = 1, died = true; died; last++) {
        const { id, user, work } = yield* bought
        const before = yield* Testing.balanceOf(user)
        yield* outage(id, work)
        died = yield* killedAt(OutageRounds.run, last)
        const claims = [...(yield* claimsOf(id))]
        const amount = claims[0]?.amount ?? 0n
        assert.strictEqual((yield* Testing.balanceOf(user)) - before, amount, `killed at statement ${last}`)
        yield* Effect.all([OutageRounds.run, OutageRounds.run, OutageRounds.run], { concurrency: 3 })
        assert.lengthOf(yield* claimsOf(id), 1)
        assert.strictEqual((yield* Testing.balanceOf(user)) - before, (1_500_000n * 1_200n) / 2_592_000n)
        assert.deepStrictEqual(yield* noticesOf(user), ["deposit_credited"])
      }
    })
  )

  it.effect("is replaced once by an instance that dies at any statement, and by two", () =>
    Effect.gen(function* () {
      for (let last = 1, died = true; died; last += 3) {
        const { id, memory, work } = yield* bought
        yield* pass(1, { fail: [id, id, id], work })
        yield* pass(1, { fail: [id], work })
        yield* TestClock.adjust("27 minutes")
        yield* pass(1, { fail: [id], work })
        yield* TestClock.adjust("1 minute")
        died = yield* killedAt(OutageRounds.run, last)
        yield* ProxyChangeRecovery.run
        yield* TestClock.adjust("11 minutes")
        for (const one of work) yield* tried(one, null)
        if (memory.leases.get(id)?.changes.length !== 1) yield* tried(id, "timeout")
        yield* Effect.all([OutageRounds.run, OutageRounds.run], { concurrency: 2 })
        yield* ProxyChangeRecovery.run
        assert.lengthOf(memory.leases.get(id)?.changes ?? [], 1, `killed at statement ${last}`)
      }
    })
  )

  it.effect("is what it is: the database refuses a claim that does not follow from it", () =>
    Effect.gen(function* () {
      const { id, user, work } = yield* bought
      yield* pass(20, { fail: [id], work })
      yield* pass(1, { work: [id, ...work] })
      const sql = yield* SqlClient.SqlClient
      yield* refused(sql`UPDATE proxy_outage SET from_at = from_at - interval '1 day' WHERE order_id = ${id}`)
      yield* refused(sql`
        INSERT INTO proxy_outage (id, order_id, from_at, error, created_at)
        SELECT gen_random_uuid(), order_id, from_at, error, created_at FROM proxy_outage WHERE order_id = ${id}
      `)
      yield* refused(sql`UPDATE proxy_outage SET settled = false WHERE order_id = ${id}`)
      yield* refused(sql`DELETE FROM proxy_outage WHERE order_id = ${id}`)
      yield* refused(sql`UPDATE warranty_claim SET amount = 1 WHERE order_id = ${id}`)
      yield* refused(sql`
        INSERT INTO warranty_claim (id, outage_id, order_id, user_id, payment_id, currency, paid, down_seconds, period_seconds,
          amount, transaction_id, created_at)
        SELECT gen_random_uuid(), outage_id, order_id, user_id, payment_id, currency, paid, down_seconds, period_seconds,
          amount, transaction_id, created_at FROM warranty_claim WHERE order_id = ${id}
      `)
      yield* refused(sql`
        INSERT INTO wallet_transaction SELECT (jsonb_populate_record(t, '{"id": "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"}')).*
        FROM wallet_transaction t WHERE user_id = ${user} AND cause = 'warranty'
      `)
    })
  )
})
