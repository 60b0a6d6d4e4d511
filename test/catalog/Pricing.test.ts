import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type PriceRule, selectorOf, type Subject, termsFor, weightOf } from "../../src/catalog/PriceRule.ts"
import { priced, pricedOffer } from "../../src/catalog/Pricing.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"

const subject: Subject = { vendor: "iproyal", kind: "residential", country: "DE", article: "7:12", days: 30 }

const some = <A>(value: A) => fc.option(fc.constant(value), { nil: undefined })
const amount = (max: bigint) => fc.bigInt({ min: 1n, max })

/** Rules that all match the subject, each with other selectors. */
const rules = fc.uniqueArray(
  fc.record(
    {
      vendor: some("iproyal"),
      kind: some("residential" as const),
      country: some("DE"),
      article: some("7:12"),
      days: some(30),
      markup: fc.option(fc.integer({ min: -9_000, max: 100_000 }), { nil: undefined }),
      floor: fc.option(amount(10n ** 9n), { nil: undefined }),
      round: fc.option(amount(10n ** 7n), { nil: undefined }),
      price: fc.option(amount(10n ** 9n), { nil: undefined }),
      name: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      description: fc.option(fc.string({ minLength: 1 }), { nil: undefined })
    },
    { requiredKeys: [] }
  ) as fc.Arbitrary<PriceRule>,
  { selector: selectorOf, maxLength: 12 }
)

/** The price of two dollars by these rules. */
const usd = (...rules: ReadonlyArray<PriceRule>) =>
  priced({ usd: 2_000_000n, star: null }, termsFor(rules, subject)).USD

describe("A price rule", () => {
  it("sets its part unless a more specific rule sets it, in any order of the rules", () => {
    fc.assert(
      fc.property(rules, (given) => {
        const weights = given.map(weightOf)
        assert.strictEqual(new Set(weights).size, weights.length)
        const heaviest = (part: keyof PriceRule, ...rivals: ReadonlyArray<keyof PriceRule>) =>
          given
            .filter((rule) => [part, ...rivals].some((name) => rule[name] !== undefined))
            .toSorted((a, b) => weightOf(b) - weightOf(a))[0]?.[part]
        for (const asked of [given, given.toReversed()]) {
          const terms = termsFor(asked, subject)
          for (const part of ["markup", "floor", "name", "description"] as const)
            assert.strictEqual(terms[part], heaviest(part))
          assert.strictEqual(terms.price, heaviest("price", "markup"))
          assert.strictEqual(terms.round, terms.price === undefined ? heaviest("round") : heaviest("round", "price"))
        }
      })
    )
  })

  it("of a fixed price is not rounded by a more general rule, but by its own and by a more specific one", () => {
    const general = { round: 50_000n }
    const fixed = { days: 30, price: 1_230_000n }
    assert.strictEqual(usd(general, fixed), 1_230_000n)
    assert.strictEqual(usd(general, { ...fixed, round: 100_000n }), 1_300_000n)
    assert.strictEqual(usd(fixed, { vendor: "iproyal", article: "7:12", ...general }), 1_250_000n)
    assert.strictEqual(usd(general, fixed, { vendor: "iproyal", article: "7:12", markup: 100 }), 2_050_000n)
  })

  it("matches only its own vendor, kind, country, article and period", () => {
    const others: ReadonlyArray<PriceRule> = [
      { vendor: "proxy-seller", markup: 1 },
      { kind: "mobile", markup: 1 },
      { country: "US", markup: 1 },
      { vendor: "iproyal", article: "7:13", markup: 1 },
      { days: 90, markup: 1 }
    ]
    assert.deepStrictEqual(termsFor(others, subject), {})
    const { days: _days, ...traffic } = subject
    assert.deepStrictEqual(termsFor([{ days: 30, markup: 1 }], traffic), {})
  })
})

describe("A price", () => {
  const base = fc.record({ usd: amount(10n ** 10n), star: fc.option(amount(10n ** 6n)) })

  it("is never above the largest amount, so that no rule ends the renewals of an offer", () => {
    const most = { USD: 999_999_999_999_999n, STAR: 999_999_999_999_999n }
    const floor = 999_999_999_999_999n
    assert.deepStrictEqual(priced({ usd: 1n, star: 10n ** 9n }, { floor, round: floor - 1n }), most)
    assert.deepStrictEqual(priced({ usd: 10n ** 13n, star: null }, { markup: 999_999, star_rate: 1n }), most)
  })

  it("is never below a cent or the floor, is a multiple of the rounding, and grows with the base", () => {
    fc.assert(
      fc.property(base, base, rules, (one, other, given) => {
        const terms = termsFor(given, subject)
        const { USD } = priced(one, terms)
        assert.isTrue(USD >= 10_000n && USD >= (terms.floor ?? 0n))
        assert.strictEqual(USD % (terms.round ?? 1n), 0n)
        const [low, high] = one.usd < other.usd ? [one, other] : [other, one]
        assert.isTrue(priced(low, terms).USD <= priced(high, terms).USD)
        const { markup: _markup, price: _price, ...rest } = terms
        assert.strictEqual(priced({ usd: USD, star: null }, rest).USD, USD)
      })
    )
  })

  it("follows the rules that people write", () => {
    const iproyal = { usd: 2_400_000n, star: null }
    assert.deepStrictEqual(priced(iproyal, { markup: 2_500 }), { USD: 3_000_000n, STAR: null })
    assert.deepStrictEqual(priced(iproyal, { markup: 3_000, round: 50_000n }), { USD: 3_150_000n, STAR: null })
    assert.deepStrictEqual(priced(iproyal, { markup: -5_000, floor: 2_000_000n }), { USD: 2_000_000n, STAR: null })
    assert.deepStrictEqual(priced(iproyal, { price: 1_990_000n, star_rate: 13_000n }), { USD: 1_990_000n, STAR: 154n })
    assert.deepStrictEqual(priced({ usd: 1_800_000n, star: 139n }, {}), { USD: 1_800_000n, STAR: 139n })
    assert.deepStrictEqual(priced({ usd: 1_800_000n, star: 139n }, { markup: 1_000 }), { USD: 1_980_000n, STAR: 153n })
  })
})

const isHidden = (...rules: ReadonlyArray<PriceRule>) => pricedOffer("memory", datacenter, datacenter, rules).isHidden

const usdOf = (...rules: ReadonlyArray<PriceRule>) =>
  pricedOffer("memory", datacenter, { ...datacenter, markup: 3_333 }, rules).options[0]?.prices.USD

describe("A priced offer", () => {
  it("keeps its cost; a fixed price and a floor do not apply to a GB", () => {
    const { isHidden, options, price_per_gb } = pricedOffer("memory", residential, residential, [
      { markup: 5_000, floor: 6_000_000n },
      { days: 30, price: 9_000_000n },
      { kind: "mobile", hidden: true }
    ])
    assert.isFalse(isHidden)
    assert.deepStrictEqual(options[0]?.prices, { USD: 9_000_000n, STAR: null })
    assert.deepStrictEqual(price_per_gb, { ...residential.price_per_gb, USD: 900_000n, STAR: 45n })
  })

  it("is hidden by a rule of its article, and shown again by a more specific one", () => {
    const hidden = { vendor: "memory", hidden: true }
    assert.isTrue(isHidden(hidden))
    assert.isFalse(isHidden(hidden, { ...hidden, article: "dc-us", hidden: false }))
  })

  it("has the name and the description of its rules, each else the vendor's, which its source keeps", () => {
    const named = { vendor: "memory", name: "Fast", description: "Near" }
    const sold = pricedOffer("memory", datacenter, datacenter, [{ ...named, country: "DE" }, named])
    assert.deepStrictEqual([sold.name, sold.description], ["Fast", "Near"])
    const { description, name } = datacenter
    assert.deepInclude(sold.source, { name, description })
    const again = { ...datacenter, name: "Fast", description: "Near" }
    const { name: _name, ...described } = named
    const renamed = pricedOffer("memory", again, sold.source, [described])
    assert.deepStrictEqual([renamed.name, renamed.description], [name, "Near"])
    const restored = pricedOffer("memory", again, sold.source, [])
    assert.deepStrictEqual([restored.name, restored.description], [name, description])
    assert.deepStrictEqual(restored.source, sold.source)
  })

  it("has the vendor's markup where no rule sets one, and is then rounded up to a cent", () => {
    assert.strictEqual(usdOf(), 2_000_000n)
    assert.strictEqual(usdOf({ kind: "datacenter", markup: 1_000 }), 1_650_000n)
    assert.strictEqual(usdOf({ round: 500_000n }), 2_000_000n)
    assert.strictEqual(usdOf({ markup: 1_001, round: 10_001n }), 1_650_165n)
    assert.strictEqual(usdOf({ days: 30, price: 1_005_000n }), 1_005_000n)
  })
})
