import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Offer } from "../../../src/catalog/Offer.ts"
import { OrderRequest } from "../../../src/orders/checkout/OrderRequest.ts"
import { agree } from "../../../src/orders/checkout/OrderTerms.ts"
import { offerOf } from "../../support/MemoryOffers.ts"

const option = (period_days: number, usd: bigint | null, star: bigint | null, bandwidth_gb: number | null = null) => ({
  period_days,
  period_name: `${period_days} days`,
  period_months: Math.floor(period_days / 30),
  bandwidth_gb,
  prices: { USD: usd, STAR: star }
})

const offer = (changes: Partial<Offer> = {}) =>
  offerOf({ options: [option(30, 2_000_000n, 100n), option(90, 5_000_000n, null)], ...changes })

const mobile = offer({
  kind: "mobile",
  mode: "rotating",
  options: [option(1, 1_000_000n, 50n, 3), option(7, 5_000_000n, 250n, 20)]
})
const metered = offer({
  kind: "residential",
  locations: [{ region: "Texas", city: "Austin" }],
  price_per_gb: { USD: 500_000n, STAR: null },
  options: [option(30, 10_000_000n, 500n, 50)]
})

const request = (fields: object) =>
  Schema.decodeUnknownSync(OrderRequest)({ offer_id: 1, payment_method: "wallet", ...fields })

const refusal = (offer: Offer, fields: object) =>
  Effect.map(Effect.flip(agree(offer, request(fields))), (error) =>
    error._tag === "RequestInvalid"
      ? `422 ${error.detail[0]?.loc.join(".")}: ${error.detail[0]?.msg}`
      : `400 ${error.detail}`
  )

describe("OrderTerms", () => {
  it.effect("carry the operator's cost of the option and of each extra GB, or none when one of them is unknown", () =>
    Effect.gen(function* () {
      const known = { ...metered.options[0]!, cost_usd: 4_000_000n }
      const price_per_gb = { ...metered.price_per_gb, cost_usd: 100_000n }
      const costOf = (changes: Partial<Offer>, fields: object) =>
        Effect.map(agree(offer({ ...metered, ...changes }), request(fields)), ({ unit_cost_usd }) => unit_cost_usd)
      assert.strictEqual(yield* costOf({ options: [known], price_per_gb }, { bandwidth_gb: 53 }), 4_300_000n)
      assert.strictEqual(yield* costOf({ options: [known] }, {}), 4_000_000n)
      assert.isNull(yield* costOf({ options: [known] }, { bandwidth_gb: 52 }))
      assert.isNull(yield* costOf({ price_per_gb }, {}))
    })
  )

  it.effect("takes the values of the offer and 30 days when the request names none", () =>
    Effect.gen(function* () {
      const terms = yield* agree(offer(), request({}))
      assert.deepStrictEqual(
        [terms.country, terms.option.period_days, terms.unit_price, terms.bandwidth_gb, terms.city],
        ["US", 30, 2_000_000n, null, null]
      )
    })
  )

  it.effect("chooses HTTP when the request names no protocol and the offer has HTTP", () =>
    Effect.gen(function* () {
      const { protocol: _protocol, ...silent } = request({})
      const spoken = (protocols: Offer["protocols"]) =>
        Effect.map(agree(offer({ protocols }), silent), ({ protocol }) => protocol)
      assert.strictEqual(yield* spoken(["SOCKS5", "HTTP"]), "HTTP")
      assert.strictEqual(yield* spoken(["SOCKS5"]), "SOCKS5")
      assert.strictEqual((yield* agree(offer(), request({ protocol: "SOCKS5" }))).protocol, "SOCKS5")
    })
  )

  it.effect("prices in stars, and also in dollars", () =>
    Effect.gen(function* () {
      const terms = yield* agree(offer(), request({ payment_currency: "STAR" }))
      assert.deepStrictEqual([terms.unit_price, terms.unit_price_usd], [100n, 2_000_000n])
    })
  )

  it.effect("sells mobile rotating offers by tariff", () =>
    Effect.gen(function* () {
      const terms = yield* agree(mobile, request({ tarification_index: 1 }))
      assert.deepStrictEqual([terms.option.period_days, terms.bandwidth_gb, terms.unit_price], [7, 20, 5_000_000n])
    })
  )

  it.effect("sells traffic above the included amount, and only limits unlimited traffic", () =>
    Effect.gen(function* () {
      const more = yield* agree(metered, request({ bandwidth_gb: 60, city: "austin" }))
      assert.deepStrictEqual([more.bandwidth_gb, more.unit_price, more.city], [60, 15_000_000n, "Austin"])
      const capped = yield* agree(offer(), request({ bandwidth_gb: 5 }))
      assert.deepStrictEqual([capped.bandwidth_gb, capped.unit_price], [5, 2_000_000n])
    })
  )

  it.effect.each([
    [
      "another kind",
      offer(),
      { proxy_type: "mobile" },
      "400 proxy_type: this offer is datacenter; leave the field out or choose another"
    ],
    [
      "another country",
      offer(),
      { country: "DE" },
      "400 country: this offer is US; leave the field out or choose another"
    ],
    [
      "another IP version",
      offer(),
      { ip_version: "IPv6" },
      "400 ip_version: this offer is IPv4; leave the field out or choose another"
    ],
    ["a protocol it does not speak", offer(), { protocol: "HTTPS" }, "400 protocol: this offer supports HTTP, SOCKS5"],
    [
      "a city of an offer without cities",
      offer(),
      { city: "Austin" },
      "400 city: this offer has no choice of city; leave the field out"
    ],
    ["an unknown city", metered, { city: "Paris" }, "400 city: this offer is sold in Austin"],
    [
      "an ISP of an offer that names none",
      offer(),
      { isp: "Comcast" },
      "400 isp: this offer names no ISP; leave the field out"
    ],
    [
      "another ISP",
      offer({ isp: "Example Mobile" }),
      { isp: "Comcast" },
      "400 isp: this offer is Example Mobile; leave the field out or choose another"
    ],
    [
      "a period that the offer does not have",
      offer(),
      { period_days: 31 },
      "422 body.period_days: This offer is sold for 30, 90 days"
    ],
    [
      "a tariff of an offer that is sold by period",
      offer(),
      { tarification_index: 0 },
      "422 body.tarification_index: Only mobile rotating offers are sold by tarification_index"
    ],
    [
      "a missing tariff of an offer that is sold by tariff",
      mobile,
      {},
      "422 body.tarification_index: This offer needs a tarification_index from 0 to 1"
    ],
    [
      "a tariff out of range",
      mobile,
      { tarification_index: 2 },
      "422 body.tarification_index: This offer needs a tarification_index from 0 to 1"
    ],
    [
      "a period that differs from the period of the tariff",
      mobile,
      { tarification_index: 0, period_days: 30 },
      "422 body.period_days: Must be 1, the period of the chosen tariff"
    ],
    [
      "less traffic than the option includes",
      metered,
      { bandwidth_gb: 10 },
      "422 body.bandwidth_gb: Must be at least 50, the traffic included in this option"
    ],
    [
      "a currency without a price",
      offer(),
      { period_days: 90, payment_currency: "STAR" },
      "400 payment_currency: this option is not sold in STAR"
    ]
  ] as const)("refuses %s", ([, offer, fields, answer]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(offer, fields), answer)
    })
  )
})
