import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { OrderId } from "../../src/orders/Order.ts"
import { transactionColumns } from "../../src/wallet/TransactionCells.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { frozenTime } from "../support/FrozenTime.ts"
import * as Gate from "../support/Gate.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { balanceOf, offerId } from "../support/OrderTesting.ts"
import { settled } from "../support/Settled.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import * as Testing from "./RpcTesting.ts"

const line = (id: string, tag: string, payload: object) =>
  JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })

layer(Testing.layer, { excludeTestServices: true })("The RPC endpoint", (it) => {
  it.effect("lists offers as a table or as an object", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const table = yield* tools.list_offers({ country: "de" })
      assert.match(
        String(table),
        /^kind,id,name,country_code,mode,ip_version,is_available,currency,locations,options\r\nresidential,\d+,"Residential ISP, Germany",DE,static,IPv4,true,USD,"\[\{""region"":""Bavaria""/
      )
      const listed: any = yield* tools.list_offers({ response_format: "json" })
      assert.strictEqual(listed.total, 4)
      assert.strictEqual(listed.offers[0].options[0].price, 1.5)
    })
  )

  it.effect("buys once for each key, after a dry run without a charge", () =>
    Effect.gen(function* () {
      const { tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Datacenter")
      const order = { offer_id, quantity: 2, idempotency_key: "any unique string", payment_method: "wallet" as const }
      const preview: any = yield* tools.create_proxy_order(order)
      assert.deepInclude(preview, { dry_run: true, total: 3, unit_price: 1.5, currency: "USD", quantity: 2 })
      assert.strictEqual(preview.offer.option.period_days, 30)
      assert.strictEqual(preview.wallets.find((wallet: any) => wallet.currency === "USD").balance, 100)
      assert.include(preview.next_step, "confirm=true")
      assert.strictEqual(yield* balanceOf(user), 100_000_000n)

      const bought: any = yield* tools.create_proxy_order({ ...order, confirm: true })
      assert.deepInclude(bought, { dry_run: false, replayed: false, payment_url: null })
      assert.strictEqual(bought.orders[0].proxy_access.length, 1)
      const again: any = yield* tools.create_proxy_order({ ...order, confirm: true })
      assert.deepStrictEqual(again, { ...bought, replayed: true })
      const spelledOut: any = yield* tools.create_proxy_order({ ...order, period_days: 30, confirm: true })
      assert.deepStrictEqual(spelledOut, again)
      assert.strictEqual(yield* balanceOf(user), 97_000_000n)

      const other = yield* Testing.failure(tools.create_proxy_order({ ...order, quantity: 1, confirm: true }))
      assert.deepInclude(other, { status: 409, code: "CONFLICT", details: { reason: "idempotency_key_reused" } })

      const table = String(yield* tools.list_my_orders({ status: "provisioned" }))
      assert.strictEqual(table.trim().split("\r\n").length, 3)
      assert.include(table, bought.orders[0].proxy_access[0].password)
      const listed: any = yield* tools.list_my_orders({ limit: 1, response_format: "json" })
      assert.deepStrictEqual([listed.total, listed.orders.length], [2, 1])
      assert.deepStrictEqual(yield* tools.count_my_orders({}), { active: 2, expiring: 0, expired: 0, total: 2 })
    })
  )

  it.effect("shares its keys with the REST API", () =>
    Effect.gen(function* () {
      const { key, tools, user } = yield* Testing.agent()
      const offer_id = yield* offerId("Datacenter")
      const idempotency_key = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"
      const { body } = yield* request("POST", "/v1/orders", {
        key,
        body: { offer_id, payment_method: "wallet", idempotency_key }
      })
      const order = { offer_id, quantity: 1, idempotency_key, payment_method: "wallet" as const, confirm: true }
      const replayed: any = yield* tools.create_proxy_order(order)
      assert.deepStrictEqual([replayed.replayed, replayed.orders], [true, body])
      assert.strictEqual(yield* balanceOf(user), 98_500_000n)
    })
  )

  it.effect("finishes a purchase whose caller has left", () =>
    Effect.gen(function* () {
      const { tools, user } = yield* Testing.agent()
      const provider = yield* MemoryProvider
      const gate = yield* Gate.make
      provider.next({ until: gate.pass })
      const order = {
        offer_id: yield* offerId("Datacenter"),
        quantity: 1,
        idempotency_key: "left",
        payment_method: "wallet" as const,
        confirm: true
      }
      const leaving = yield* Effect.forkChild(tools.create_proxy_order(order))
      yield* gate.reached
      yield* Fiber.interrupt(leaving)
      yield* gate.open
      const retried: any = yield* tools.create_proxy_order(order)
      assert.isTrue(retried.replayed)
      // The answer that was kept when the caller left may be older than the delivery.
      yield* settled
      const { status } = yield* tools.get_order({ order_id: OrderId.make(retried.orders[0].id) })
      assert.strictEqual(status, "provisioned")
      assert.strictEqual(yield* balanceOf(user), 98_500_000n)
      assert.deepInclude(yield* tools.count_my_orders({}), { total: 1 })
    })
  )

  it.effect("orders with outside payment, without HTTP, and by tariff", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      const one = { quantity: 1, payment_method: "wallet" as const, confirm: true }
      const outside: any = yield* tools.create_proxy_order({
        ...one,
        offer_id: yield* offerId("Datacenter"),
        idempotency_key: "outside",
        payment_method: "crypto_gateway"
      })
      assert.match(outside.payment_url, /^https?:/)
      assert.strictEqual(outside.orders[0].status, "waiting_payment")
      const cancelled: any = yield* tools.cancel_order({ order_id: OrderId.make(outside.orders[0].id) })
      assert.strictEqual(cancelled.status, "cancelled")

      const socks: any = yield* tools.create_proxy_order({
        ...one,
        offer_id: yield* offerId("Socks"),
        idempotency_key: "socks"
      })
      assert.strictEqual(socks.orders[0].protocol, "SOCKS5")

      const weekly = { ...one, offer_id: yield* offerId("Mobile"), tarification_index: 1, idempotency_key: "week" }
      const rented: any = yield* tools.create_proxy_order(weekly)
      assert.strictEqual(rented.orders[0].period_days, 7)
    })
  )

  it.effect("extends, adds traffic and manages a proxy", () =>
    Effect.gen(function* () {
      const { tools, user } = yield* Testing.agent()
      const bought: any = yield* tools.create_proxy_order({
        offer_id: yield* offerId("Residential"),
        quantity: 1,
        idempotency_key: "a",
        payment_method: "wallet",
        confirm: true
      })
      const order_id = OrderId.make(bought.orders[0].id)
      const before = bought.orders[0].proxy_access[0].expires_at
      const paid = yield* balanceOf(user)

      const month = { order_id, months: 1, idempotency_key: "b" }
      const preview: any = yield* tools.extend_proxy_period(month)
      assert.deepInclude(preview, { dry_run: true, total: 3.5, bandwidth_total_gb: 100, previous_expires_at: before })
      const gigabytes = { order_id, bandwidth_gb: 10, idempotency_key: "c" }
      const traffic: any = yield* tools.buy_proxy_bandwidth(gigabytes)
      assert.deepInclude(traffic, { dry_run: true, total: 6, bandwidth_total_gb: 60 })
      assert.notProperty(traffic, "expires_at")
      assert.strictEqual(yield* balanceOf(user), paid)

      const extended: any = yield* tools.extend_proxy_period({ ...month, confirm: true })
      assert.deepInclude(extended, { dry_run: false, replayed: false, previous_expires_at: before })
      assert.strictEqual(extended.expires_at, preview.expires_at)
      const more: any = yield* tools.buy_proxy_bandwidth({ ...gigabytes, confirm: true })
      assert.deepInclude(more, { dry_run: false, bandwidth_total_gb: 110 })
      const again: any = yield* tools.buy_proxy_bandwidth({ ...gigabytes, confirm: true })
      assert.deepStrictEqual(again, { ...more, replayed: true })
      assert.strictEqual(yield* balanceOf(user), paid - 9_500_000n)

      const listed: any = yield* tools.set_proxy_whitelist({ order_id, whitelisted_ips: ["2001:DB8::7"] })
      assert.deepStrictEqual(listed.whitelisted_ips, ["2001:db8::7"])
      assert.notProperty(listed, "auto_renew")
      assert.deepInclude(yield* tools.set_auto_renew({ order_id, enabled: true }), { auto_renew: true })
      yield* tools.change_proxy_protocol({ order_id, new_type: "SOCKS5" })
      assert.deepInclude(yield* tools.sync_proxy_state({ order_id }), { status: "active" })
      const shown: any = yield* tools.get_order({ order_id })
      assert.strictEqual(shown.protocol, "SOCKS5")
      assert.strictEqual((yield* tools.get_order_traffic({ order_id })).points.length, 7)
      assert.match(String(yield* tools.get_my_traffic_summary({})), /^timestamp,used_delta_gb,/)
    })
  )

  it.effect("shows the wallets, the transactions and the missing amount", () =>
    Effect.gen(function* () {
      const { tools } = yield* Testing.agent()
      assert.match(
        String(yield* tools.list_my_wallets({})),
        /^wallet_id,currency,balance,updated_at\r\n[\w-]+,USD,100,/
      )
      assert.strictEqual((yield* tools.get_wallet_balance({ currency: "STAR" })).balance, 0)
      const listed: any = yield* tools.list_wallet_transactions({ currency: "USD", response_format: "json" })
      assert.deepStrictEqual([listed.total, listed.transactions[0].amount], [1, 100])
      const [head, row] = String(yield* tools.list_wallet_transactions({ currency: "USD" })).split("\r\n")
      assert.strictEqual(head, transactionColumns.join(), "the columns of the file on the page of the wallet")
      assert.match(row ?? "", /^[^,]+Z,deposit,completed,100\.00,USD,/)
      const one = yield* tools.get_transaction({ transaction_id: listed.transactions[0].id })
      assert.strictEqual(one.transaction_type, "deposit")

      const dear = {
        offer_id: yield* offerId("Residential"),
        quantity: 50,
        idempotency_key: "dear",
        payment_method: "wallet" as const
      }
      const preview: any = yield* tools.create_proxy_order(dear)
      assert.include(preview.next_step, "lacks 75.00")
      const refused = yield* Testing.failure(tools.create_proxy_order({ ...dear, confirm: true }))
      assert.deepInclude(refused, {
        status: 409,
        details: { reason: "insufficient_balance", required: "175.00", balance: "100.00", currency: "USD" }
      })
    })
  )

  it.effect("names the scope that a key lacks, and refuses a caller without a credential", () =>
    Effect.gen(function* () {
      const { key, tools } = yield* Testing.agent({ scopes: ["catalog:read"] })
      assert.include(String(yield* tools.list_offers({})), "Datacenter")
      const refused = yield* Testing.failure(tools.list_my_wallets({}))
      assert.deepInclude(refused, {
        status: 403,
        code: "INSUFFICIENT_SCOPE",
        details: { required_scope: "wallet:read" }
      })
      assert.include(refused.detail, "wallet:read")
      const full = yield* Testing.failure(tools.list_flags({}))
      assert.deepInclude(full.details, { required_scope: "full-access" })

      for (const headers of [{}, { "x-api-key": "prk_unknown" }, { authorization: `Bearer ${key}` }]) {
        const answer = yield* request("POST", "/rpc", { headers, body: `${line("1", "list_offers", {})}\n` })
        assert.deepStrictEqual([answer.status, answer.body.code], [401, "UNAUTHORIZED"])
        assert.include(answer.headers["www-authenticate"], "resource_metadata=")
      }
    })
  )
})

layer(TestApp.layer({ RATE_LIMIT_PER_MINUTE: "3" }), { excludeTestServices: true })(
  "The limit of the RPC endpoint",
  (it) => {
    it.effect("counts every call of a request", () =>
      Effect.gen(function* () {
        yield* frozenTime
        const key = yield* Testing.keyOf(yield* Fixtures.newUser)
        const body = `${line("1", "list_flags", {})}\n${line("2", "get_wallet_balance", { currency: "USD" })}\n`
        const answer = yield* request("POST", "/rpc", { key, body })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(String(answer.body).trim().split("\n").length, 2)
        const next = yield* request("POST", "/rpc", { key, body })
        assert.deepStrictEqual([next.status, next.body.code], [429, "RATE_LIMITED"])
        assert.property(next.headers, "retry-after")
      })
    )

    it.effect("counts a refused request once", () =>
      Effect.gen(function* () {
        const key = yield* Testing.keyOf(yield* Fixtures.newUser)
        const calls = Array.from({ length: 51 }, (_, id) => line(String(id), "list_flags", {}))
        assert.strictEqual((yield* request("POST", "/rpc", { key, body: calls.join("\n") })).status, 400)
        assert.strictEqual((yield* request("POST", "/rpc", { key, body: calls.slice(0, 2).join("\n") })).status, 200)
      })
    )
  }
)
