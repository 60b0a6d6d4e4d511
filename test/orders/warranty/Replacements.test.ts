import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as ProxyChangeRecovery from "../../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyHealthRepo } from "../../../src/orders/warranty/ProxyHealthRepo.ts"
import { Replacements } from "../../../src/orders/warranty/Replacements.ts"
import { byCaller } from "../../../src/orders/ActedBy.ts"
import type { Order } from "../../../src/orders/Order.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { killedAt } from "../../support/KilledAt.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { bookedFor, changesOf, layer as domain, noticesOf, orderOf, proxy } from "../changes/ProxyChangeTesting.ts"

const services = Layer.mergeAll(Replacements.layer, ProxyHealthRepo.layer).pipe(
  Layer.provideMerge([domain, RateLimit.layer])
)

const failure = {
  vantage: "centre",
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: null,
  exit_ip: null,
  expected_ip: null,
  error: "timeout"
} as const

/** Three failures in a row after a success, by which a proxy counts as failing. */
const fail = ({ id }: Pick<Order, "id">) =>
  Effect.gen(function* () {
    const repo = yield* ProxyHealthRepo
    const now = yield* DateTime.now
    yield* repo.record(id, { ...failure, error: null }, now, now)
    yield* Effect.repeat(repo.record(id, failure, now, now), { times: 2 })
  })

/** A proxy that was delivered two days ago. */
const old = Effect.fnUntraced(function* (name: "Datacenter" | "Mobile" = "Datacenter") {
  const bought = yield* proxy(name)
  yield* TestClock.adjust("2 days")
  const replace = (key?: string) => Replacements.use((_) => _.replace(bought.caller, bought.id, key))
  const preview = Replacements.use((_) => _.preview(bought.caller, bought.id))
  return { ...bought, replace, preview, memory: yield* MemoryProvider }
})

const applied = { kind: "replace", origin: "warranty", status: "applied", detail: null }

layer(services)("A replacement by the warranty", (it) => {
  it.effect("moves a failing proxy once for a key, at no charge, and keeps its access", () =>
    Effect.gen(function* () {
      const { caller, id, memory, order, preview, replace, user } = yield* old()
      yield* Fixtures.newEndpoint(user)
      yield* fail(order)
      assert.deepStrictEqual(yield* preview, { order_id: id, replaced: false, reason: "failing", proxy: null })
      assert.deepStrictEqual([...(yield* changesOf(id))], [])
      const key = randomUUID()
      const first = yield* replace(key)
      assert.deepInclude(first.answer, { order_id: id, replaced: true, reason: "failing" })
      assert.deepInclude(first.answer.proxy, { order_id: id, previous_expires_at: null })
      assert.deepStrictEqual(yield* replace(key), { answer: first.answer, replayed: true })
      assert.deepStrictEqual([...(yield* changesOf(id))], [applied])
      assert.strictEqual(memory.leases.get(id)?.proxy.current_ip, "192.0.2.99")
      const after = yield* orderOf(user, id)
      for (const field of ["host", "port", "username", "password", "expires_at", "bandwidth_gb"] as const)
        assert.deepStrictEqual(after[field], order[field])
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_replaced"])
      const sql = yield* SqlClient.SqlClient
      const [change] =
        yield* sql`SELECT actor, actor_id, given_reason, given_by FROM proxy_change WHERE order_id = ${id}`
      assert.deepStrictEqual({ ...change }, { ...byCaller(caller), given_reason: "failing", given_by: null })
      const events = yield* sql`
        SELECT e.change_source, e.status, e.previous_status, e.host, d.status AS delivery
        FROM webhook_event e JOIN webhook_delivery d ON d.event_id = e.id WHERE e.order_id = ${id}
      `
      const { host, proxy_status } = order
      const said = { change_source: "replaced", status: proxy_status, previous_status: proxy_status, host }
      assert.deepStrictEqual(
        events.map((event) => ({ ...event })),
        [{ ...said, delivery: "pending" }]
      )
      // What the tries said was about the old address.
      assert.strictEqual((yield* Effect.flip(replace()))._tag, "NotFailing")
    })
  )

  it.effect("moves a proxy once on its first day, although it works", () =>
    Effect.gen(function* () {
      const { caller, id } = yield* proxy("Datacenter")
      const { replace } = yield* Replacements
      yield* TestClock.adjust("23 hours")
      assert.strictEqual((yield* replace(caller, id, undefined)).answer.reason, "first_day")
      assert.strictEqual((yield* Effect.flip(replace(caller, id, undefined)))._tag, "NotFailing")
    })
  )

  it.effect("is not made of a proxy that works, rotates, or has a provider without other addresses", () =>
    Effect.gen(function* () {
      const works = yield* old()
      assert.strictEqual((yield* Effect.flip(works.replace()))._tag, "NotFailing")
      assert.strictEqual((yield* Effect.flip(works.preview))._tag, "NotFailing")
      const rotates = yield* old("Mobile")
      yield* fail(rotates.order)
      assert.strictEqual((yield* Effect.flip(rotates.replace()))._tag, "WrongProxyKind")
      yield* fail(works.order)
      const { replacement } = works.memory.provider
      Reflect.deleteProperty(works.memory.provider, "replacement")
      assert.strictEqual((yield* Effect.flip(works.replace()))._tag, "OperationUnsupported")
      Reflect.set(works.memory.provider, "replacement", replacement)
      for (const { id } of [works, rotates]) assert.deepStrictEqual([...(yield* changesOf(id))], [])
    })
  )

  it.effect("is refused while no other address is free, and succeeds afterwards with the same key", () =>
    Effect.gen(function* () {
      const { id, memory, order, preview, replace } = yield* old()
      yield* fail(order)
      memory.setSpare(0)
      memory.nextChange("refuse")
      const key = randomUUID()
      assert.strictEqual((yield* Effect.flip(preview))._tag, "NoAddressLeft")
      assert.strictEqual((yield* Effect.flip(replace(key)))._tag, "NoAddressLeft")
      memory.setSpare(1)
      assert.strictEqual((yield* replace(key)).answer.replaced, true)
      const statuses = (yield* changesOf(id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["refused", "applied"])
    })
  )

  it.effect.each(["time_out", "drop"] as const)("whose call ended with %s is finished by the job", (behaviour) =>
    Effect.gen(function* () {
      const { id, memory, order, replace, user } = yield* old()
      yield* fail(order)
      memory.nextChange(behaviour)
      assert.strictEqual((yield* Effect.flip(replace()))._tag, "ChangeUnsettled")
      yield* TestClock.adjust("3 minutes")
      yield* ProxyChangeRecovery.run
      yield* ProxyChangeRecovery.run
      assert.deepStrictEqual([...(yield* changesOf(id))], [applied])
      assert.deepStrictEqual(yield* noticesOf(user), ["proxy_replaced"])
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n])
    })
  )

  it.effect("that dies at any statement is made once or not at all", () =>
    Effect.gen(function* () {
      for (let last = 1, died = true; died; last++) {
        const { id, memory, order, replace } = yield* old()
        yield* fail(order)
        const key = randomUUID()
        died = yield* killedAt(replace(key), last)
        yield* TestClock.adjust("3 minutes")
        yield* ProxyChangeRecovery.run
        yield* ProxyChangeRecovery.run
        const isMade = memory.leases.get(id)?.changes.length === 1
        const expected = isMade ? [applied] : []
        assert.deepStrictEqual([...(yield* changesOf(id))], expected, `killed at statement ${last}`)
        assert.isAtMost(memory.leases.get(id)?.changes.length ?? 0, 1)
      }
    })
  )

  it.effect("costs nothing, so the database refuses one with a price or of time", () =>
    Effect.gen(function* () {
      const { id, order, replace } = yield* old()
      yield* fail(order)
      yield* replace()
      const sql = yield* SqlClient.SqlClient
      const forged = (columns: string) =>
        Effect.exit(sql`
          INSERT INTO proxy_change SELECT (jsonb_populate_record(c, ${sql.literal(`'${columns}'`)}::jsonb)).*
          FROM proxy_change c WHERE order_id = ${id}
        `)
      const pending = { id: randomUUID(), status: "pending", attempted_at: null }
      for (const change of [
        { total: 1, total_usd: 1 },
        { kind: "append" },
        { given_reason: "goodwill" },
        { given_by: "Sam" }
      ])
        assert.strictEqual((yield* forged(JSON.stringify({ ...pending, ...change })))._tag, "Failure")
      assert.strictEqual((yield* forged(JSON.stringify(pending)))._tag, "Success")
    })
  )
})
