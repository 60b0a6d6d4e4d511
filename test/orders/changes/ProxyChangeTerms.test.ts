import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UserId } from "../../../src/accounts/User.ts"
import type { Offer } from "../../../src/catalog/Offer.ts"
import { sameTariff, termsOf, type Wanted } from "../../../src/orders/changes/ProxyChangeTerms.ts"
import type { LiveOrder } from "../../../src/orders/LiveOrder.ts"
import { Order, OrderId } from "../../../src/orders/Order.ts"
import { offerOf } from "../../support/MemoryOffers.ts"

const at = (iso: string) => DateTime.makeUnsafe(iso)
const now = at("2026-02-01T00:00:00Z")
const start = at("2026-01-31T12:00:00Z")

const option = (
  period_months: number,
  usd: bigint,
  star: bigint | null = null,
  bandwidth_gb: number | null = null
) => ({
  period_days: period_months === 0 ? 7 : period_months * 30,
  period_name: period_months === 0 ? "1 week" : `${period_months} months`,
  period_months,
  bandwidth_gb,
  prices: { USD: usd, STAR: star }
})

const offer = (changes: Partial<Offer> = {}) =>
  offerOf({ protocols: ["HTTP"], options: [option(1, 2_000_000n, 100n), option(3, 5_000_000n)], ...changes })

const order = (changes: Partial<LiveOrder> = {}): LiveOrder => {
  const provider_proxy_id = "memory-1"
  const expires_at = at("2026-03-02T12:00:00Z")
  const made = new Order({
    id: OrderId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"),
    user_id: UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
    api_key_id: null,
    oauth_client_id: null,
    offer_id: 1,
    provider: "memory",
    external_id: "dc-us",
    status: "provisioned",
    proxy_status: "active",
    proxy_type: "datacenter",
    mode: "static",
    ip_version: "IPv4",
    protocol: "HTTP",
    country: "US",
    city: null,
    period_days: 30,
    period_months: 1,
    tarification_index: 0,
    bandwidth_gb: null,
    currency: "USD",
    total: 2_000_000n,
    total_usd: 2_000_000n,
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
    provider_proxy_id,
    host: "192.0.2.1",
    port: 20_000,
    username: "u",
    password: "p",
    whitelisted_ips: [],
    cycle_started_at: start,
    expiring_at: expires_at,
    expires_at,
    provision_at: now,
    operation_until: null,
    renew_at: null,
    renewal_failed_at: null,
    announced_total: null,
    announced_currency: null,
    renews_from: null,
    sync_at: null,
    rotated_at: null,
    tags: [],
    created_at: now,
    updated_at: now
  })
  return { ...made, provider_proxy_id, cycle_started_at: start, expires_at, ...changes }
}

const months = (months: number): Wanted => ({ kind: "append", months })
const gb = (added_gb: number): Wanted => ({ kind: "traffic", added_gb })
const tariff = (tarification_index: number): Wanted => ({ kind: "restart", tarification_index })

const dearestOnly = offer({ options: [option(0, 1n), option(3, 5_000_000n), option(12, 12_000_000n)] })
const perGb = { USD: 600_000n, STAR: null }

describe("ProxyChangeTerms", () => {
  it.effect.each([
    ["the option of exactly that length", offer(), 3, [5_000_000n, 5_000_000n, 90]],
    ["the one-month option, repeated", offer(), 24, [48_000_000n, 48_000_000n, 720]],
    ["a part of the dearest option, half a micro-dollar rounded up", dearestOnly, 1, [1_666_667n, 1_666_667n, 30]],
    ["two parts of the dearest option, rounded once", dearestOnly, 2, [3_333_333n, 3_333_333n, 60]]
  ] as const)("months cost %s", ([, offer, count, expected]) =>
    Effect.gen(function* () {
      const { period_days, total, total_usd } = yield* termsOf(offer, order(), months(count), now)
      assert.deepStrictEqual([total, total_usd, period_days], [...expected])
    })
  )

  it.effect("carry the operator's share of the cost, or none when it is unknown", () =>
    Effect.gen(function* () {
      const three = { ...option(3, 5_000_000n), cost_usd: 2_000_000n }
      const known = offer({ options: [three], price_per_gb: { ...perGb, cost_usd: 0n } })
      const limited = order({ bandwidth_gb: 5 })
      const costOf = (offer: Offer, wanted: Wanted) =>
        Effect.map(termsOf(offer, limited, wanted, now), ({ cost_usd }) => cost_usd)
      assert.strictEqual(yield* costOf(known, months(3)), 2_000_000n)
      assert.strictEqual(yield* costOf(known, months(1)), 666_667n)
      assert.strictEqual(yield* costOf(known, tariff(0)), 2_000_000n)
      assert.strictEqual(yield* costOf(known, gb(7)), 0n)
      for (const wanted of [months(3), tariff(0), gb(7)])
        assert.isNull(yield* costOf(offer({ options: [option(3, 5_000_000n)], price_per_gb: perGb }), wanted))
    })
  )

  it.effect("an order in stars is extended in stars where the option has a price in stars, else in dollars", () =>
    Effect.gen(function* () {
      const stars = order({ currency: "STAR" })
      const two = yield* termsOf(offer(), stars, months(2), now)
      assert.deepStrictEqual([two.currency, two.total, two.total_usd], ["STAR", 200n, 4_000_000n])
      const three = yield* termsOf(offer(), stars, months(3), now)
      assert.deepStrictEqual([three.currency, three.total, three.total_usd], ["USD", 5_000_000n, 5_000_000n])
      const cheap = offer({ options: [option(12, 12_000_000n, 3n)] })
      assert.strictEqual((yield* termsOf(cheap, stars, months(1), now)).total, 1n)
    })
  )

  it.effect.each([
    ["2026-01-31T12:00:00Z", 1, "2026-02-28T12:00:00.000Z"],
    ["2028-01-31T12:00:00Z", 1, "2028-02-29T12:00:00.000Z"],
    ["2026-03-31T23:59:59Z", 6, "2026-09-30T23:59:59.000Z"],
    ["2026-12-15T00:00:00Z", 24, "2028-12-15T00:00:00.000Z"]
  ] as const)("%s and %s calendar months are %s", ([from, count, until]) =>
    Effect.gen(function* () {
      const { expires_at } = yield* termsOf(offer(), order({ expires_at: at(from) }), months(count), now)
      assert.strictEqual(DateTime.formatIso(expires_at), until)
    })
  )

  it.effect(
    "included traffic is added, the customer's own limit grows with the time, and unlimited traffic stays unlimited",
    () =>
      Effect.gen(function* () {
        const metered = offer({ options: [option(1, 2n, null, 50), option(3, 5n, null, 200)] })
        const limited = order({ bandwidth_gb: 60 })
        assert.strictEqual((yield* termsOf(metered, limited, months(1), now)).bandwidth_gb, 110)
        assert.strictEqual((yield* termsOf(metered, limited, months(3), now)).bandwidth_gb, 260)
        assert.strictEqual((yield* termsOf(metered, limited, months(2), now)).bandwidth_gb, 160)
        // 30 days with 60 GB become 61 days.
        assert.strictEqual((yield* termsOf(offer(), limited, months(1), now)).bandwidth_gb, 122)
        assert.isNull((yield* termsOf(metered, order(), months(1), now)).bandwidth_gb)
      })
  )

  it.effect("a tariff begins immediately, with all its time and traffic", () =>
    Effect.gen(function* () {
      const mobile = offer({ kind: "mobile", mode: "rotating", options: [option(1, 9n), option(0, 2n, 7n, 20)] })
      const terms = yield* termsOf(mobile, order({ currency: "STAR", bandwidth_gb: 5 }), tariff(1), now)
      assert.deepStrictEqual(
        [terms.total, terms.bandwidth_gb, DateTime.formatIso(terms.expires_at), terms.tarification_index],
        [7n, 20, "2026-02-08T00:00:00.000Z", 1]
      )
      const error = yield* Effect.flip(termsOf(mobile, order(), tariff(2), now))
      assert.deepStrictEqual(error._tag === "RequestInvalid" && error.detail[0], {
        loc: ["body", "tarification_index"],
        msg: "Must be from 0 to 1",
        type: "value_error"
      })
    })
  )

  it.effect("traffic costs its price per GB and is added to the limit", () =>
    Effect.gen(function* () {
      const terms = yield* termsOf(
        offer({ price_per_gb: perGb }),
        order({ currency: "STAR", bandwidth_gb: 50 }),
        gb(5),
        now
      )
      assert.deepStrictEqual([terms.currency, terms.total, terms.bandwidth_gb], ["USD", 3_000_000n, 55])
      assert.deepStrictEqual(terms.expires_at, order().expires_at)
    })
  )

  it.effect.each([
    ["months, of an offer that is sold by the week", offer({ options: [option(0, 1n)] }), order(), months(1), "month"],
    ["traffic, of a proxy without a limit", offer({ price_per_gb: perGb }), order(), gb(1), "unlimited"],
    ["traffic, of an offer that sells none", offer(), order({ bandwidth_gb: 5 }), gb(1), "no extra traffic"]
  ] as const)("does not sell %s", ([, offer, order, wanted, why]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(termsOf(offer, order, wanted, now))
      assert.strictEqual(error._tag, "NotSold")
      assert.include(error.detail, why)
    })
  )

  it.each([
    ["wherever the offer lists it", [[5], [200], [20]], 20, 0, 2],
    ["in its place when it is listed twice", [[20], [20]], 20, 0, 1],
    ["with less traffic when the same is no longer sold", [[5], [200], [10]], 20, 0, 2],
    ["without the traffic that the customer added", [[100], [20]], 120, 100, 1],
    ["unlimited when it is unlimited", [[200], [null]], null, 0, 1],
    ["never with more traffic", [[30], [null]], 20, 0, undefined],
    ["never with a limit that it did not have", [[30], [200]], null, 0, undefined],
    ["never with another period", [[20, 30]], 20, 0, undefined]
  ] as const)("auto-renew buys the tariff of the order %s", (_, tariffs, bandwidth_gb, addedGb, expected) => {
    const options = tariffs.map(([gb, period_days = 7]) => ({ ...option(0, 9n, null, gb), period_days }))
    const weekly = order({ period_days: 7, tarification_index: 1, bandwidth_gb })
    assert.deepStrictEqual(
      sameTariff(offer({ options }), weekly, addedGb),
      expected === undefined ? undefined : tariff(expected)
    )
  })
})
