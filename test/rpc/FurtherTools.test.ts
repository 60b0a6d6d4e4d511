import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OrderId } from "../../src/orders/Order.ts"
import { PublicIp } from "../../src/platform/outbound/PublicAddress.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import { offerId } from "../support/OrderTesting.ts"
import * as Testing from "./RpcTesting.ts"

layer(Testing.layer, { excludeTestServices: true })("The tools for unrestricted keys", (it) => {
  it.effect("offers the other operations of an unrestricted key", () =>
    Effect.gen(function* () {
      const { tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Mobile")
      const bought: any = yield* tools.create_proxy_order({
        offer_id,
        quantity: 1,
        tarification_index: 1,
        idempotency_key: "mobile",
        payment_method: "wallet",
        confirm: true
      })
      const order_id = OrderId.make(bought.orders[0].id)
      assert.strictEqual(
        (yield* Testing.failure(tools.extend_proxy_period({ order_id, months: 1, idempotency_key: "x" }))).status,
        400
      )
      const day = { order_id, tarification_index: 0, idempotency_key: "day" }
      assert.deepInclude(yield* tools.extend_mobile_proxy(day), { dry_run: true, total: 2 })
      assert.deepInclude(yield* tools.extend_mobile_proxy({ ...day, confirm: true }), {
        type: "mobile",
        replayed: false
      })
      yield* frozenTime
      const { current_ip } = yield* tools.reset_mobile_ip({ order_id })
      assert.isString(current_ip)
      assert.deepInclude(yield* Testing.failure(tools.reset_mobile_ip({ order_id })), {
        status: 429,
        code: "RATE_LIMITED"
      })
      const [signature = ""] = (yield* tools.list_mobile_signatures({})).signatures
      assert.deepInclude(yield* tools.set_mobile_signature({ order_id, signature }), { signature })
      assert.deepInclude(yield* tools.set_proxy_tags({ order_id, tags: ["a"] }), { tags: ["a"] })
      yield* tools.set_proxy_credentials({ order_id, passwords: [{ login: "me", password: "secret-secret" }] })
      assert.deepInclude(yield* tools.release_proxy({ order_id }), { order_status: "cancelled" })

      const quote = yield* tools.quote_proxy_order({ offer_id, payment_method: "wallet", tarification_index: 2 })
      assert.strictEqual(quote.total, 30)
      const unknown = yield* Testing.failure(
        tools.preview_promo_code({ code: "NONE", offer_id, tarification_index: 2 })
      )
      assert.deepInclude(unknown, { status: 422 })
      assert.strictEqual((yield* tools.get_my_account({})).id, user)
      assert.isTrue((yield* tools.list_flags({})).flags["isp.city.enable"])

      const ip = PublicIp.make("8.8.8.8")
      const check: any = yield* tools.check_ip({ ip, idempotency_key: "check" })
      assert.deepInclude(check, { dry_run: true, total: 0.05, free_available: 0 })
      const made: any = yield* tools.check_ip({ ip, idempotency_key: "check", confirm: true })
      assert.deepInclude(made, { dry_run: false, replayed: false, ip: "8.8.8.8" })
      assert.strictEqual((yield* tools.list_ip_checks({})).total, 1)
      assert.strictEqual((yield* tools.get_ip_check({ check_id: made.id })).verdict, made.verdict)
      const survey = yield* tools.survey_ip({ ip })
      assert.deepStrictEqual([survey.ip, survey.not_loaded], ["8.8.8.8", ["memory_tor"]])
      assert.strictEqual((yield* tools.get_ip_check_quota({})).price, "0.05")
    })
  )

  it.effect("manages static proxies too", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const bought: any = yield* tools.create_proxy_order({
        offer_id: yield* offerId("Datacenter"),
        quantity: 1,
        idempotency_key: "static",
        payment_method: "wallet",
        confirm: true
      })
      const order_id = OrderId.make(bought.orders[0].id)
      assert.deepInclude(yield* tools.set_order_notes({ order_id, notes: "crawler" }), { notes: "crawler" })
      const passwords = [{ login: "me", password: "secret-secret" }]
      assert.deepInclude(yield* tools.set_proxy_credentials({ order_id, passwords }), { username: "me" })
      assert.deepInclude(yield* tools.set_proxy_tags({ order_id, tags: ["a"] }), { tags: ["a"] })
      // Nothing listens at the address of the provider in memory.
      assert.deepInclude(yield* tools.test_proxy({ order_id }), { works: false, failure: "unreachable" })
      const { replaceable } = yield* tools.check_proxy({ order_id })
      assert.deepStrictEqual(replaceable, { free: true, reason: "first_day" })
      assert.deepInclude(yield* tools.get_proxy_uptime({ order_id, days: 7 }), { auto_replace: true, outages: [] })
      assert.deepInclude(yield* tools.set_auto_replace({ order_id, enabled: false }), { auto_replace: false })
      const wanted = { order_id, idempotency_key: "replace" }
      assert.deepInclude(yield* tools.replace_proxy(wanted), { replaced: false, reason: "first_day" })
      for (let count = 0; count < 2; count++)
        assert.deepInclude(yield* tools.replace_proxy({ ...wanted, confirm: true }), { replaced: true })
      const again = tools.replace_proxy({ ...wanted, idempotency_key: "again", confirm: true })
      assert.strictEqual((yield* Testing.failure(again)).status, 409)
      assert.deepStrictEqual(yield* tools.get_proxy_refusals({ order_id }), { order_id, refusals: [] })
      const set = yield* tools.set_proxy_destinations({
        order_id,
        rules: [{ action: "deny", host_suffix: "Example.com" }]
      })
      const rule = {
        action: "deny",
        host_suffix: "example.com",
        network: null,
        first_port: null,
        last_port: null
      } as const
      assert.deepStrictEqual(set, { order_id, rules: [rule] })
      assert.deepStrictEqual(yield* tools.get_proxy_destinations({ order_id }), set)
      assert.deepInclude(yield* tools.release_proxy({ order_id }), { status: "cancelled" })
      assert.strictEqual((yield* Testing.failure(tools.test_proxy({ order_id }))).status, 400)
    })
  )

  it.effect("manages webhooks", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const refused = yield* Testing.failure(tools.create_webhook({ url: "https://localhost/" }))
      assert.deepInclude(refused, { status: 422 })
      const user = yield* Fixtures.newUser
      const { id: endpoint_id } = yield* Fixtures.newEndpoint(user)
      assert.deepInclude(yield* Testing.failure(tools.get_webhook({ endpoint_id })), { status: 404, code: "NOT_FOUND" })
      const own = yield* Testing.clientOf(yield* Testing.keyOf(user))
      assert.strictEqual((yield* own.list_webhooks({})).total, 1)
      assert.isFalse((yield* own.update_webhook({ endpoint_id, enabled: false })).enabled)
      assert.match((yield* own.rotate_webhook_secret({ endpoint_id })).signing_secret, /^whsec_/)
      assert.strictEqual((yield* own.list_webhook_deliveries({ endpoint_id })).total, 0)
      assert.deepStrictEqual(yield* own.delete_webhook({ endpoint_id }), { deleted: true })
    })
  )
})
