import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OrderId } from "../../src/orders/Order.ts"
import { PublicIp } from "../../src/platform/outbound/PublicAddress.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import { residential } from "../support/MemoryOffers.ts"
import { balanceOf, offerId } from "../support/OrderTesting.ts"
import { request } from "../support/TestServer.ts"
import * as Testing from "./RpcTesting.ts"

const one = { quantity: 1, payment_method: "wallet" as const, confirm: true }

layer(Testing.layer, { excludeTestServices: true })("The tools that buy", (it) => {
  it.effect("answers a retry with the stored answer, also when the offer has changed", () =>
    Effect.gen(function* () {
      const { key, tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Socks")
      const idempotency_key = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"
      const order = { ...one, offer_id, idempotency_key }
      const bought: any = yield* tools.create_proxy_order(order)
      assert.deepStrictEqual([bought.replayed, bought.orders[0].protocol], [false, "SOCKS5"])

      for (const socks of [{ protocols: ["HTTP" as const, "SOCKS5" as const] }, { is_available: false }, null]) {
        yield* Testing.sell(socks)
        const retried: any = yield* Testing.failure(tools.create_proxy_order(order))
        assert.deepStrictEqual(retried, { ...bought, replayed: true })
      }
      const body = { offer_id, payment_method: "wallet", idempotency_key }
      const rest = yield* request("POST", "/v1/orders", { key, body })
      assert.deepStrictEqual([rest.status, rest.body], [201, bought.orders])
      const other = yield* request("POST", "/v1/orders", { key, body: { ...body, protocol: "SOCKS5" } })
      assert.strictEqual(other.body.details.reason, "idempotency_key_reused")
      assert.strictEqual(yield* balanceOf(user), 96_500_000n)
    }).pipe(Effect.ensuring(Effect.orDie(Testing.sell({}))))
  )

  it.effect("charges the price of the dry run when the price has risen since", () =>
    Effect.gen(function* () {
      const { tools, user } = yield* Testing.agent()
      const order = { ...one, offer_id: yield* offerId("Socks"), idempotency_key: "shown before" }
      const shown: any = yield* tools.create_proxy_order({ ...order, confirm: false })
      const options = residential.options.map((option) => ({ ...option, prices: { USD: 7_000_000n, STAR: null } }))
      yield* Testing.sell({ options })
      const bought: any = yield* tools.create_proxy_order(order)
      assert.deepStrictEqual([shown.total, bought.orders[0].total_usd], [3.5, 3.5])
      assert.strictEqual(yield* balanceOf(user), 96_500_000n)
      const again: any = yield* tools.create_proxy_order({ ...order, confirm: false })
      assert.strictEqual(again.total, 7)
    }).pipe(Effect.ensuring(Effect.orDie(Testing.sell({}))))
  )

  it.effect("shows a mobile order like any other, with its payment_url, until it has a proxy", () =>
    Effect.gen(function* () {
      const { key, tools } = yield* Testing.agent()
      const offer = { offer_id: yield* offerId("Mobile"), tarification_index: 1, idempotency_key: "waits for payment" }
      const bought: any = yield* tools.create_proxy_order({ ...one, ...offer, payment_method: "card_gateway" })
      const [order] = bought.orders
      assert.deepStrictEqual([order.status, order.proxy_type, order.proxy_access], ["waiting_payment", "mobile", []])
      assert.match(order.payment_info.payment_url, /^http/)
      const shown = Effect.all([
        tools.get_order({ order_id: OrderId.make(order.id) }),
        Effect.map(request("GET", `/v1/orders/${order.id}`, { key }), ({ body }) => body)
      ])
      assert.deepStrictEqual(yield* shown, [order, order])
      const cancelled = yield* tools.cancel_order({ order_id: OrderId.make(order.id) })
      assert.strictEqual(cancelled.status, "cancelled")
      assert.deepStrictEqual(yield* shown, [cancelled, cancelled])
    })
  )

  it.effect("takes the ISP of the offer in any case, and names it when another was given", () =>
    Effect.gen(function* () {
      const { key, tools } = yield* Testing.agent()
      const listed: any = yield* tools.list_offers({ kind: "mobile", response_format: "json" })
      assert.strictEqual(listed.offers[0].isp, "Memory Mobile")
      const quote = (offer: string, isp: string) =>
        Effect.flatMap(offerId(offer), (offer_id) => {
          const tariff = offer === "Mobile" ? { tarification_index: 1 } : {}
          return request("POST", "/v1/orders/quote", {
            key,
            body: { offer_id, payment_method: "wallet", ...tariff, isp }
          })
        })
      assert.strictEqual((yield* quote("Mobile", "memory MOBILE")).body.total, 9)
      for (const [offer, said] of [
        ["Mobile", "isp: this offer is Memory Mobile; leave the field out or choose another"],
        ["Datacenter", "isp: this offer names no ISP; leave the field out"]
      ] as const) {
        const { body, status } = yield* quote(offer, "Comcast")
        assert.deepStrictEqual([status, body.detail], [400, said])
      }
    })
  )

  it.effect("takes the period from the tariff, and treats an omitted period like the same written one", () =>
    Effect.gen(function* () {
      const { key, tools, user } = yield* Testing.agent()
      const idempotency_key = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c13"
      const weekly = { ...one, offer_id: yield* offerId("Mobile"), tarification_index: 1, idempotency_key }
      const wrong = yield* Testing.failure(tools.create_proxy_order({ ...weekly, period_days: 60 }))
      assert.deepInclude(wrong, { status: 422, code: "VALIDATION_ERROR" })
      assert.deepStrictEqual(wrong.detail[0].loc, ["arguments", "period_days"])

      const bought: any = yield* tools.create_proxy_order({ ...weekly, period_days: 30 })
      assert.deepStrictEqual([bought.replayed, bought.orders[0].period_days], [false, 7])
      for (const period of [{}, { period_days: 30 }]) {
        const retried: any = yield* Testing.failure(tools.create_proxy_order({ ...weekly, ...period }))
        assert.deepStrictEqual(retried, { ...bought, replayed: true })
      }
      const body = { offer_id: weekly.offer_id, payment_method: "wallet", tarification_index: 1 }
      const again = yield* request("POST", "/v1/orders", { key, body: { ...body, idempotency_key } })
      assert.deepStrictEqual([again.status, again.body], [201, bought.orders])
      const other = yield* request("POST", "/v1/orders", { key, body: { ...body, idempotency_key, period_days: 60 } })
      assert.deepStrictEqual([other.status, other.body.details.reason], [409, "idempotency_key_reused"])
      const month = yield* request("POST", "/v1/orders", { key, body: { ...body, period_days: 30 } })
      assert.deepStrictEqual([month.status, month.body.detail[0].loc], [422, ["body", "period_days"]])
      assert.strictEqual(yield* balanceOf(user), 91_000_000n)
    })
  )

  it.effect("without a period takes the default, or the offer's shortest", () =>
    Effect.gen(function* () {
      const { key, tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Socks")
      const options = [90, 14].map((days) => ({ ...residential.options[0]!, period_days: days }))
      const order = { ...one, offer_id, idempotency_key: "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c14" }
      const month: any = yield* tools.create_proxy_order({ ...order, confirm: false })
      assert.strictEqual(month.offer.option.period_days, 30)

      yield* Testing.sell({ options })
      const preview: any = yield* tools.create_proxy_order({ ...order, confirm: false })
      assert.deepInclude(preview.offer.option, { period_days: 14, tarification_index: 1 })
      const wanted = { offer_id, payment_method: "wallet" as const }
      assert.deepInclude(yield* tools.quote_proxy_order({ ...wanted, protocol: "SOCKS5" }), { total: 3.5 })
      const promo = yield* Testing.failure(tools.preview_promo_code({ code: "NONE", offer_id }))
      assert.notInclude(JSON.stringify(promo.detail), "period_days")
      const written = yield* Testing.failure(tools.create_proxy_order({ ...order, period_days: 30 }))
      assert.match(JSON.stringify(written.detail), /sold for 90, 14 days/)
      assert.strictEqual(yield* balanceOf(user), 100_000_000n)

      const bought: any = yield* tools.create_proxy_order(order)
      assert.deepStrictEqual([bought.replayed, bought.orders[0].period_days], [false, 14])
      yield* Testing.sell({})
      assert.deepStrictEqual(yield* tools.create_proxy_order(order), { ...bought, replayed: true })
      yield* Testing.sell({ options })
      // The REST API always takes the default, not the offer's choice.
      for (const path of ["/v1/orders", "/v1/orders/quote"]) {
        const refused = yield* request("POST", path, { key, body: { ...wanted, protocol: "SOCKS5" } })
        assert.deepStrictEqual([refused.status, refused.body.detail[0].loc], [422, ["body", "period_days"]])
      }
    }).pipe(Effect.ensuring(Effect.orDie(Testing.sell({}))))
  )

  it.effect("ignores the default period beside a tariff, also in quotes", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const weekly = { offer_id: yield* offerId("Mobile"), tarification_index: 1, period_days: 30 }
      const quote = yield* tools.quote_proxy_order({ ...weekly, payment_method: "wallet" })
      assert.strictEqual(quote.total, 9)
      const promo = yield* Testing.failure(tools.preview_promo_code({ ...weekly, code: "NONE" }))
      assert.notInclude(JSON.stringify(promo.detail), "period_days")
    })
  )

  it.effect("a dry run names the daily limit of the key as an obstacle", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent({ daily_spend_limit_usd: 5_000_000n })
      const order = { ...one, offer_id: yield* offerId("Residential"), idempotency_key: "first" }
      const allowed: any = yield* tools.create_proxy_order({ ...order, confirm: false })
      assert.notInclude(allowed.next_step, "refused")
      const bought: any = yield* tools.create_proxy_order(order)
      const order_id = OrderId.make(bought.orders[0].id)

      const limited = /403 daily_spend_limit_reached.* spent 3\.50 USD of its daily limit of 5\.00 USD/
      const next = { ...order, idempotency_key: "next" }
      const preview: any = yield* tools.create_proxy_order({ ...next, confirm: false })
      assert.match(preview.next_step, limited)
      const refused = yield* Testing.failure(tools.create_proxy_order(next))
      assert.deepInclude(refused, {
        status: 403,
        details: { reason: "daily_spend_limit_reached", limit: "5.00", spent: "3.50" }
      })
      const month: any = yield* tools.extend_proxy_period({ order_id, months: 1, idempotency_key: "month" })
      assert.match(month.next_step, limited)
      const traffic: any = yield* tools.buy_proxy_bandwidth({ order_id, bandwidth_gb: 10, idempotency_key: "traffic" })
      assert.match(traffic.next_step, limited)
      const ip = PublicIp.make("8.8.4.4")
      const check: any = yield* tools.check_ip({ ip, idempotency_key: "check" })
      assert.notInclude(check.next_step, "refused")

      const poor = yield* Testing.agent({ daily_spend_limit_usd: 40_000n })
      const dear: any = yield* poor.tools.check_ip({ ip, idempotency_key: "check" })
      assert.match(dear.next_step, /403 daily_spend_limit_reached.* spent 0\.00 USD of its daily limit of 0\.04 USD/)

      const outside: any = yield* tools.create_proxy_order({
        ...next,
        confirm: false,
        payment_method: "crypto_gateway"
      })
      assert.notInclude(outside.next_step, "refused")
    })
  )

  it.effect("a dry run names stopped purchases as an obstacle", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tools, user } = yield* Testing.agent()
      const order = { ...one, offer_id: yield* offerId("Residential"), idempotency_key: "first" }
      const bought: any = yield* tools.create_proxy_order(order)
      const order_id = OrderId.make(bought.orders[0].id)
      const next = { ...order, idempotency_key: "next" }
      const month = { order_id, months: 1, idempotency_key: "month" }
      const previews: Effect.Effect<ReadonlyArray<any>, unknown> = Effect.all([
        tools.create_proxy_order({ ...next, confirm: false }),
        tools.create_proxy_order({ ...next, confirm: false, payment_method: "crypto_gateway" }),
        tools.extend_proxy_period(month)
      ])
      for (const { next_step } of yield* previews) assert.notInclude(next_step, "refused")
      yield* sql`UPDATE wallet SET purchases_stopped = true WHERE user_id = ${user}`
      for (const { next_step } of yield* previews) assert.include(next_step, "refuse it (403 purchases_stopped)")
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        tools.create_proxy_order(next),
        tools.create_proxy_order({ ...next, payment_method: "crypto_gateway" }),
        tools.extend_proxy_period({ ...month, confirm: true })
      ]
      for (const call of calls)
        assert.deepInclude(yield* Testing.failure(call), { status: 403, details: { reason: "purchases_stopped" } })
    })
  )

  it.effect("a dry run names too many unpaid orders as an obstacle", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Residential")
      const order = { ...one, offer_id, payment_method: "crypto_gateway", idempotency_key: "unpaid" } as const
      const preview = Effect.map(
        tools.create_proxy_order({ ...order, confirm: false }),
        ({ next_step }: any) => next_step
      )
      yield* tools.create_proxy_order(order)
      assert.notInclude(yield* preview, "refused")
      yield* sql`UPDATE payment_intent SET items = 500 WHERE user_id = ${user}`
      assert.match(yield* preview, /refuse it \(409 too_many_unpaid_orders\).* 500 orders and deposits/)
      const refused = yield* Testing.failure(tools.create_proxy_order({ ...order, idempotency_key: "more" }))
      assert.deepInclude(refused, { status: 409, details: { reason: "too_many_unpaid_orders", limit: 500 } })
      yield* sql`UPDATE payment_intent SET items = 1 WHERE user_id = ${user}`
      for (let open = 1; open < 20; open++)
        yield* tools.create_proxy_order({ ...order, idempotency_key: `open ${open}` })
      assert.match(yield* preview, /refuse it \(409 too_many_open_payments\): 20 payments/)
    })
  )

  it.effect("name what is wrong without a path of the REST API", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const weekly = { ...one, offer_id: yield* offerId("Mobile"), tarification_index: 0, idempotency_key: "mobile" }
      const bought: any = yield* tools.create_proxy_order(weekly)
      const order_id = OrderId.make(bought.orders[0].id)
      yield* frozenTime
      yield* tools.reset_mobile_ip({ order_id })
      const tooOften = yield* Testing.failure(tools.reset_mobile_ip({ order_id }))
      const unknown = yield* Testing.failure(tools.create_proxy_order({ ...weekly, offer_id: 999_999, confirm: false }))
      const whitelist = yield* Testing.failure(tools.set_proxy_whitelist({ order_id, whitelisted_ips: [] }))
      const months = yield* Testing.failure(tools.extend_proxy_period({ order_id, months: 1, idempotency_key: "m" }))
      const monthly: any = yield* tools.create_proxy_order({
        ...one,
        offer_id: yield* offerId("Datacenter"),
        idempotency_key: "static"
      })
      const static_id = OrderId.make(monthly.orders[0].id)
      const cycle = yield* Testing.failure(
        tools.extend_mobile_proxy({ order_id: static_id, tarification_index: 0, idempotency_key: "c" })
      )
      for (const [refused, status, told] of [
        [tooOften, 429, /try again in \d+ seconds$/],
        [unknown, 404, /the catalog lists/],
        [whitelist, 400, /with its credentials/],
        [months, 400, /another cycle.*use extend_mobile_proxy$/],
        [cycle, 400, /by months: use extend_proxy_period$/]
      ]) {
        assert.strictEqual(refused.status, status)
        assert.match(refused.detail, told)
        assert.notMatch(refused.detail, /(GET|POST|PUT|PATCH|DELETE) \/|Retry-After/)
      }
    })
  )
})
