import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Flags } from "../../../src/flags/Flags.ts"
import { type Options, post, server } from "./ProxyChangesServer.ts"
import { bookedFor, changesOf, orderOf, proxy } from "./ProxyChangeTesting.ts"

const iso = (time: DateTime.Utc | null) => (time === null ? null : DateTime.formatIso(time))
const plusMonth = (time: DateTime.Utc | null) => (time === null ? null : iso(DateTime.add(time, { months: 1 })))

const managedKeys = [
  "order_id",
  "provider_proxy_id",
  "status",
  "expires_at",
  "auto_renew",
  "whitelisted_ips",
  "bandwidth_total_gb",
  "bandwidth_used_gb",
  "previous_expires_at"
]
const withKey = { idempotency: "k" }

layer(server, { excludeTestServices: true })("ProxyChangesApi", (it) => {
  it.effect("extends a static proxy by a calendar month and charges it", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Residential")
      const answer = yield* post({ id }, "extend", { user, body: { months: 1 } })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(Object.keys(answer.body), managedKeys)
      assert.deepStrictEqual(answer.body, {
        order_id: id,
        provider_proxy_id: order.provider_proxy_id,
        status: "active",
        expires_at: plusMonth(order.expires_at),
        auto_renew: false,
        whitelisted_ips: [],
        bandwidth_total_gb: 100,
        bandwidth_used_gb: 0,
        previous_expires_at: iso(order.expires_at)
      })
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -3_500_000n])
      assert.strictEqual(iso((yield* orderOf(user, id)).expires_at), plusMonth(order.expires_at))
    })
  )

  it.effect("restarts a mobile proxy with the chosen tariff and answers its state", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Mobile")
      const answer = yield* post({ id }, "extend", { user, idempotency: "m", body: { tarification_index: 0 } })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(
        [answer.body.type, answer.body.id, answer.body.status, answer.body.order_status],
        ["mobile", id, "active", "provisioned"]
      )
      assert.deepStrictEqual(
        [answer.body.period_days, answer.body.bandwidth_gb, answer.body.previous_expires_at],
        [1, 5, iso(order.expires_at)]
      )
      assert.isBelow(Date.parse(answer.body.expires_at), Date.now() + 86_400_001)
      assert.deepStrictEqual(yield* bookedFor(id), [-9_000_000n, -2_000_000n])
      const after = yield* orderOf(user, id)
      assert.deepStrictEqual([after.period_days, after.tarification_index], [1, 0])
    })
  )

  it.effect("adds traffic and answers the new limit", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Residential")
      const answer = yield* post({ id }, "bandwidth", { key: user, body: { bandwidth_gb: 10 } })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        order_id: id,
        provider_proxy_id: order.provider_proxy_id,
        status: "active",
        expires_at: iso(order.expires_at),
        bandwidth_total_gb: 60,
        bandwidth_used_gb: 0
      })
      assert.deepStrictEqual(yield* bookedFor(id), [-3_500_000n, -6_000_000n])
    })
  )

  it.effect("switches auto-renew, due immediately while the proxy is expiring", () =>
    Effect.gen(function* () {
      const { id, order, user } = yield* proxy("Datacenter")
      const on = yield* post({ id }, "auto-renew", { user, body: { enabled: true } })
      assert.strictEqual(on.status, 200)
      assert.deepStrictEqual(on.body, {
        order_id: id,
        provider_proxy_id: order.provider_proxy_id,
        auto_renew: true,
        status: "active",
        expires_at: iso(order.expires_at)
      })
      assert.isNull((yield* orderOf(user, id)).renew_at)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET proxy_status = 'expiring', expiring_at = cycle_started_at WHERE id = ${id}`
      yield* post({ id }, "auto-renew", { user, body: { enabled: true } })
      assert.isNotNull((yield* orderOf(user, id)).renew_at)
      const off = yield* post({ id }, "auto-renew", { user, body: { enabled: false } })
      assert.deepStrictEqual([off.body.auto_renew, off.body.status], [false, "expiring"])
      assert.isNull((yield* orderOf(user, id)).renew_at)
      const mobile = yield* proxy("Mobile")
      const snapshot = yield* post(mobile, "auto-renew", { user: mobile.user, body: { enabled: true } })
      assert.deepStrictEqual([snapshot.status, snapshot.body.type, snapshot.body.auto_renew], [200, "mobile", true])
      assert.isNull(snapshot.body.previous_expires_at)
    })
  )

  it.effect("refuses strangers and keys without the scope in every operation", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Residential")
      const { user: stranger } = yield* proxy("Datacenter")
      const bodies = { extend: { months: 1 }, bandwidth: { bandwidth_gb: 1 }, "auto-renew": { enabled: true } }
      for (const [operation, body] of Object.entries(bodies)) {
        const status = (order: string, options: Options) =>
          Effect.map(post({ id: order }, operation, { body, ...options }), ({ status }) => status)
        assert.strictEqual(yield* status(id, {}), 401)
        assert.strictEqual(yield* status(id, { key: `${user};orders:read` }), 403)
        assert.strictEqual(yield* status(id, { user: stranger }), 403)
        assert.strictEqual(yield* status(randomUUID(), { user }), 404)
        assert.strictEqual(yield* status("nonsense", { user }), 422)
        assert.strictEqual(yield* status(id, { key: `${user};orders:write` }), 200)
      }
    })
  )

  it.effect("names each fault of a body", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Residential")
      const refused = (operation: string, body: unknown, idempotency?: string) =>
        Effect.map(
          post({ id }, operation, { user, body, ...(idempotency === undefined ? {} : { idempotency }) }),
          ({ body, status }) => `${status} ${body.detail.map(({ loc, type }: any) => `${loc.join(".")} ${type}`)}`
        )
      const byCycle = yield* post({ id }, "extend", { user, body: { tarification_index: 0 } })
      assert.deepStrictEqual([byCycle.status, byCycle.body.detail.match(/send \w+/)?.[0]], [400, "send months"])
      const mobile = yield* proxy("Mobile")
      const byMonths = yield* post(mobile, "extend", { user: mobile.user, body: { months: 1 } })
      assert.match(byMonths.body.detail, /by another cycle.*: send tarification_index/)
      assert.strictEqual(yield* refused("extend", {}), "422 body value_error")
      assert.strictEqual(yield* refused("extend", { months: 1, tarification_index: 0 }), "422 body value_error")
      for (const months of [0, 25, 1.5, -1])
        assert.strictEqual(yield* refused("extend", { months }), "422 body.months value_error")
      assert.strictEqual(yield* refused("extend", { months: "1" }), "422 body.months type_error")
      assert.strictEqual(
        yield* refused("extend", { tarification_index: -1 }),
        "422 body.tarification_index value_error"
      )
      for (const bandwidth_gb of [0, 5001, 1.5])
        assert.strictEqual(yield* refused("bandwidth", { bandwidth_gb }), "422 body.bandwidth_gb value_error")
      assert.strictEqual(yield* refused("bandwidth", {}), "422 body.bandwidth_gb missing")
      assert.strictEqual(yield* refused("auto-renew", {}), "422 body.enabled missing")
      assert.strictEqual(yield* refused("auto-renew", { enabled: "yes" }), "422 body.enabled type_error")
      const header = "422 header.idempotency-key value_error"
      assert.strictEqual(yield* refused("extend", { months: 1 }, "x".repeat(256)), header)
      const uuid = randomUUID()
      assert.strictEqual(
        yield* refused("extend", { months: 1, idempotency_key: uuid }, "other"),
        "422 body.idempotency_key value_error"
      )
      for (const body of ["", "null", "[]", "{oops"])
        assert.strictEqual((yield* post({ id }, "extend", { user, body })).status, 422, body)
      assert.lengthOf(yield* changesOf(id), 0)
    })
  )

  it.effect("an extension needs the field of the proxy's kind, and for a mobile proxy a key", () =>
    Effect.gen(function* () {
      const fixed = yield* proxy("Residential")
      const mobile = yield* proxy("Mobile")
      const wrong = yield* post(fixed, "extend", { user: fixed.user, body: { tarification_index: 0 } })
      assert.deepStrictEqual([wrong.status, wrong.body.code], [400, "BAD_REQUEST"])
      assert.include(wrong.body.detail, "months")
      const months = yield* post(mobile, "extend", { user: mobile.user, body: { months: 1 }, ...withKey })
      assert.strictEqual(months.status, 400)
      assert.include(months.body.detail, "tarification_index")
      const keyless = yield* post(mobile, "extend", { user: mobile.user, body: { tarification_index: 0 } })
      assert.deepStrictEqual(
        [keyless.status, keyless.body.detail[0].loc, keyless.body.detail[0].type],
        [422, ["header", "idempotency-key"], "missing"]
      )
      const unknown = yield* post(mobile, "extend", { user: mobile.user, body: { tarification_index: 3 }, ...withKey })
      assert.deepStrictEqual([unknown.status, unknown.body.detail[0].loc], [422, ["body", "tarification_index"]])
      const inBody = { tarification_index: 0, idempotency_key: randomUUID() }
      assert.strictEqual((yield* post(mobile, "extend", { user: mobile.user, body: inBody })).status, 200)
    })
  )

  it.effect("the guard refuses a mobile extension while more than 30 percent of the cycle remains", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Mobile")
      const flag = "orders.mobile.extend.too_early_guard"
      yield* Flags.use((flags) => flags.set(flag, user, true))
      const extend = post({ id }, "extend", { user, body: { tarification_index: 1 }, idempotency: "guarded" })
      const early = yield* extend
      assert.deepStrictEqual([early.status, early.body.code], [400, "BAD_REQUEST"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE proxy_order SET cycle_started_at = cycle_started_at - interval '17 days' WHERE id = ${id}`
      assert.strictEqual((yield* extend).status, 200)
      const { id: fixed, user: other } = yield* proxy("Datacenter")
      yield* Flags.use((flags) => flags.set(flag, other, true))
      assert.strictEqual((yield* post({ id: fixed }, "extend", { user: other, body: { months: 1 } })).status, 200)
    })
  )
})
