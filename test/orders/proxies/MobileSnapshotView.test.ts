import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { request as call } from "../../support/TestServer.ts"
import { expire, mobileProxy, ordered, server } from "./ManagementTesting.ts"

layer(server, { excludeTestServices: true })("The snapshot of a mobile proxy", (it) => {
  it.effect("is the answer for the order, read from the provider", () =>
    Effect.gen(function* () {
      const { id, lease, memory, fetched } = yield* mobileProxy
      memory.edit(id, { current_ip: "198.51.100.77", bandwidth_gb: 19, whitelisted_ips: ["192.0.2.9"] })
      const { body, status } = yield* fetched
      const proxy = (yield* lease)?.proxy
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        type: "mobile",
        id,
        status: "active",
        order_status: "provisioned",
        auto_renew: false,
        expires_at: DateTime.formatIso(proxy?.expires_at ?? (yield* DateTime.now)),
        host: "192.0.2.10",
        port: proxy?.port,
        username: proxy?.username,
        password: proxy?.password,
        current_ip: "198.51.100.77",
        signature: "android",
        tags: [],
        whitelisted_ips: ["192.0.2.9"],
        proxy_type: "mobile",
        ip_version: "IPv4",
        protocol: "HTTP",
        country: "GB",
        city: null,
        isp: "Memory Mobile",
        period_days: 7,
        bandwidth_gb: 19,
        quantity: 1,
        total_usd: 9,
        total_amount: "9.00",
        currency: "USD",
        promo_code_id: null,
        discount_usd: null,
        created_at: body.created_at,
        updated_at: body.updated_at,
        payment_intent_id: null,
        previous_expires_at: null
      })
    })
  )

  it.effect("follows the proxy from its provisioning until after its end", () =>
    Effect.gen(function* () {
      const { user, id, memory, fetched } = yield* mobileProxy
      const states = Effect.map(fetched, ({ body, status }) => [
        status,
        body.status,
        body.order_status,
        body.current_ip,
        body.signature
      ])
      const unprovisioned = yield* ordered(user, "mobile", "unavailable")
      const before = (yield* call("GET", `/v1/orders/${unprovisioned}`, { user })).body
      assert.deepStrictEqual(
        [before.type, before.status, before.payment_info.payment_method, before.proxy_access],
        [undefined, "paid", "wallet", []]
      )
      assert.deepStrictEqual(yield* states, [200, "active", "provisioned", "198.51.100.1", "android"])

      memory.setDown(true)
      assert.deepStrictEqual((yield* fetched).body.code, "SERVICE_UNAVAILABLE")
      memory.setDown(false)

      memory.edit(id, { is_live: false })
      assert.deepStrictEqual(yield* states, [200, "cancelled", "provisioned", null, null])
      memory.edit(id, { expires_at: yield* DateTime.now })
      assert.deepStrictEqual(yield* states, [200, "expired", "provisioned", null, null])
      yield* expire(id)
      assert.deepStrictEqual(yield* states, [200, "expired", "expired", null, null])
      const list = yield* call("GET", "/v1/orders", { user })
      assert.isDefined(list.body.orders.find((order: any) => order.id === id).payment_info)
    })
  )

  it.effect("shows new tags and the last known state while the provider does not answer", () =>
    Effect.gen(function* () {
      const { memory, post, fetched } = yield* mobileProxy
      const before = (yield* fetched).body
      memory.setDown(true)
      const { body, status } = yield* Effect.ensuring(
        post("tags", { tags: ["kept"] }),
        Effect.sync(() => memory.setDown(false))
      )
      const unknown = { current_ip: null, signature: null, isp: "unknown", updated_at: body.updated_at }
      assert.deepStrictEqual([status, body], [200, { ...before, ...unknown, tags: ["kept"] }])
      assert.deepStrictEqual((yield* fetched).body.tags, ["kept"])
    })
  )

  it.effect("is unavailable, and a sync too, while the provider does not know the proxy", () =>
    Effect.gen(function* () {
      const { memory, post, fetched } = yield* mobileProxy
      const get = memory.provider.get
      Reflect.set(memory.provider, "get", () => Effect.undefined)
      const refused = [(yield* fetched).status, (yield* post("sync")).status]
      Reflect.set(memory.provider, "get", get)
      assert.deepStrictEqual(refused, [503, 503])
      const { body } = yield* fetched
      assert.deepStrictEqual([body.status, body.order_status], ["active", "provisioned"])
    })
  )

  it.effect("has the present status of the proxy in the answers of operations", () =>
    Effect.gen(function* () {
      const { id, memory, post } = yield* mobileProxy
      memory.edit(id, { is_live: false })
      assert.strictEqual((yield* post("tags", { tags: [] })).body.status, "cancelled")
      assert.strictEqual((yield* post("reset")).body.status, "cancelled")
    })
  )
})
