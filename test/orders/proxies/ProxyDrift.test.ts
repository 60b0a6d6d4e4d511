import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { UserId } from "../../../src/accounts/User.ts"
import type { LiveOrder } from "../../../src/orders/LiveOrder.ts"
import { Order, OrderId } from "../../../src/orders/Order.ts"
import { drift, statusAt } from "../../../src/orders/proxies/ProxyDrift.ts"
import type { ProviderProxy } from "../../../src/provider/ProxyProvider.ts"

const at = (text: string) => DateTime.makeUnsafe(`2026-${text}Z`)

const proxy: ProviderProxy = {
  provider_proxy_id: "p-1",
  is_live: true,
  host: "192.0.2.10",
  port: 20_001,
  username: "user1",
  password: "secret1",
  protocol: "HTTP",
  expires_at: at("01-31T00:00"),
  whitelisted_ips: ["192.0.2.1"],
  bandwidth_gb: 50,
  used_gb: 0,
  current_ip: null,
  signature: null,
  isp: null
}

const { current_ip: _ip, is_live: _live, isp: _isp, signature: _signature, used_gb: _used, ...stored } = proxy

const order = (changes: Partial<LiveOrder> = {}): LiveOrder => {
  const dates = { cycle_started_at: at("01-01T00:00"), expires_at: stored.expires_at }
  const made = new Order({
    id: OrderId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"),
    user_id: UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
    api_key_id: null,
    oauth_client_id: null,
    offer_id: 1,
    provider: "memory",
    external_id: "mobile-gb",
    status: "provisioned",
    proxy_status: "active",
    proxy_type: "mobile",
    mode: "rotating",
    ip_version: "IPv4",
    country: "GB",
    city: null,
    period_days: 30,
    period_months: 1,
    tarification_index: 0,
    currency: "USD",
    total: 1n,
    total_usd: 1n,
    cost_usd: null,
    discount: 0n,
    discount_usd: 0n,
    extra_total: null,
    extra_total_usd: null,
    promo_code_id: null,
    payment_method: "wallet",
    payment_intent_id: null,
    payment_url: null,
    auto_renew: false,
    notes: null,
    ...stored,
    ...dates,
    expiring_at: at("01-28T00:00"),
    provision_at: dates.cycle_started_at,
    operation_until: null,
    renew_at: null,
    renewal_failed_at: null,
    announced_total: null,
    announced_currency: null,
    renews_from: null,
    sync_at: null,
    rotated_at: null,
    tags: [],
    created_at: dates.cycle_started_at,
    updated_at: dates.cycle_started_at
  })
  return { ...made, ...dates, provider_proxy_id: proxy.provider_proxy_id, ...changes }
}

describe("The drift of an order from its proxy", () => {
  it("is empty when both agree", () => {
    assert.deepStrictEqual(drift(order(), { ...proxy, used_gb: 3, current_ip: "198.51.100.1" }), {
      access: null,
      terms: null
    })
  })

  it.each([
    { host: "192.0.2.11" },
    { port: 20_002 },
    { username: "user2" },
    { password: "secret2" },
    { protocol: "SOCKS5" as const },
    { whitelisted_ips: [] },
    { whitelisted_ips: ["192.0.2.1", "192.0.2.2"] }
  ])("is in `access` when a value of the access differs: %o", (change) => {
    const { access, terms } = drift(order(), { ...proxy, ...change })
    const { host, password, port, protocol, username, whitelisted_ips } = { ...proxy, ...change }
    assert.deepStrictEqual(access, { host, password, port, protocol, username, whitelisted_ips })
    assert.isNull(terms)
  })

  it("moves the start of `expiring` with the end of the proxy", () => {
    const { terms } = drift(order(), { ...proxy, expires_at: at("01-06T00:00") })
    assert.deepStrictEqual(terms, {
      expires_at: at("01-06T00:00"),
      expiring_at: at("01-05T00:00"),
      bandwidth_gb: 50,
      is_longer: false,
      is_less: true
    })
  })

  it("keeps the end when only the limit changes", () => {
    const { terms } = drift(order(), { ...proxy, bandwidth_gb: 60 })
    assert.deepStrictEqual(terms, {
      expires_at: at("01-31T00:00"),
      expiring_at: at("01-28T00:00"),
      bandwidth_gb: 60,
      is_longer: false,
      is_less: false
    })
  })

  it("keeps the customer's own limit when the provider has none", () => {
    assert.isNull(drift(order({ bandwidth_gb: 20 }), { ...proxy, bandwidth_gb: null }).terms)
  })

  it.each<readonly [string, Partial<ProviderProxy>, number | null, boolean, boolean]>([
    ["an end that is seconds later", { expires_at: at("01-31T00:00:30") }, 50, false, false],
    ["an end that is seconds earlier", { expires_at: at("01-30T23:59:30") }, 50, false, false],
    ["a later end", { expires_at: at("01-31T00:06") }, 50, true, false],
    ["an earlier end", { expires_at: at("01-30T23:54") }, 50, false, true],
    ["a lower limit", { bandwidth_gb: 49 }, 50, false, true],
    ["a limit instead of unlimited traffic", { bandwidth_gb: 50 }, null, false, true],
    ["a later end with a lower limit", { expires_at: at("02-28T00:00"), bandwidth_gb: 49 }, 50, true, true]
  ])("says when the proxy has more or less than the order: %s", (_name, change, bandwidth_gb, is_longer, is_less) => {
    const { terms } = drift(order({ bandwidth_gb }), { ...proxy, ...change })
    assert.deepStrictEqual([terms?.is_longer, terms?.is_less], [is_longer, is_less])
  })

  it("ignores an end before the start of the cycle", () => {
    assert.isNull(drift(order(), { ...proxy, expires_at: at("01-01T00:00") }).terms)
  })
})

describe("The present status of a proxy", () => {
  const over = { ...proxy, is_live: false }
  it.each<readonly [string, LiveOrder, ProviderProxy | undefined, string, string]>([
    ["runs", order(), proxy, "01-15T00:00", "active"],
    ["runs after its end", order(), proxy, "02-15T00:00", "active"],
    ["was ended by its provider", order(), over, "01-15T00:00", "cancelled"],
    ["no provider answers for", order(), undefined, "01-15T00:00", "active"],
    ["no provider answers for after its end", order(), undefined, "01-31T00:00", "expired"],
    ["was ended at its end", order(), over, "01-31T00:00", "expired"],
    ["was ended a moment before its end", order(), over, "01-30T23:56", "expired"],
    ["was ended well before its end", order(), over, "01-30T23:54", "cancelled"],
    [
      "has an earlier end at the provider",
      order(),
      { ...over, expires_at: at("01-14T00:00") },
      "01-15T00:00",
      "expired"
    ],
    ["was released", order({ proxy_status: "cancelled" }), undefined, "02-15T00:00", "cancelled"],
    ["is not provisioned yet", order({ proxy_status: "pending" }), undefined, "01-15T00:00", "pending"]
  ])("of a proxy that %s", (_name, order, proxy, now, status) => {
    assert.strictEqual(statusAt(order, proxy, at(now)), status)
  })
})
