import * as fc from "fast-check"
import type { ShopFile } from "../../src/shop/ShopFile.ts"

type Article = ShopFile["articles"][string]
type Rule = NonNullable<ShopFile["prices"]>[number]

const pools = {
  "us-dc": { country: "US", kind: "datacenter" },
  "us-dc-2": { country: "US", kind: "datacenter" },
  "us-mobile": { country: "US", kind: "mobile" },
  "us-mobile-2": { country: "US", kind: "mobile" },
  "de-dc": { country: "DE", kind: "datacenter" }
} as const
type Pool = keyof typeof pools
const poolNames = Object.keys(pools) as ReadonlyArray<Pool>

const addresses = Array.from({ length: 15 }, (_, index) => `203.0.113.${index + 1}`)

/** Periods never change their days and GB, so each article has its own for ever; static articles may have fewer. */
const goods: Record<
  string,
  { readonly pools: ReadonlyArray<Pool>; readonly periods: ReadonlyArray<[number, number?]> }
> = {
  metered: {
    pools: ["us-dc", "us-dc-2"],
    periods: [
      [30, 5],
      [90, 20]
    ]
  },
  unlimited: { pools: ["us-dc", "us-dc-2"], periods: [[30], [60]] },
  mobile: { pools: ["us-mobile", "us-mobile-2"], periods: [[7, 2], [7, 9], [30]] },
  german: { pools: ["de-dc"], periods: [[30, 1]] }
}
export const articleNames = Object.keys(goods)

const usd = fc.bigInt({ min: 10_000n, max: 5_000_000n })
const cost = fc.bigInt({ min: 0n, max: 2_000_000n })

const articleOf = (name: string): fc.Arbitrary<Article> => {
  const { periods, pools: own } = goods[name]!
  const isMobile = name === "mobile"
  return fc
    .record({
      pool: fc.constantFrom(...own),
      state: fc.constantFrom("on" as const, "on" as const, "on" as const, "renew_only" as const, "off" as const),
      prices: fc.tuple(...periods.map(() => fc.record({ usd, cost }))),
      kept: isMobile ? fc.constant(periods.length) : fc.integer({ min: 1, max: periods.length }),
      traffic: fc.option(fc.record({ usd, cost }), { nil: undefined }),
      limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 4 })
    })
    .map(({ kept, limit, pool, prices, state, traffic }) => ({
      pool,
      mode: isMobile ? "rotating" : "static",
      ip_version: "IPv4",
      name,
      state,
      periods: periods.slice(0, kept).map(([days, gb], index) => ({
        days,
        name: `${days} days`,
        ...(days % 30 === 0 && { months: days / 30 }),
        ...(gb !== undefined && { gb }),
        ...prices[index]!
      })),
      ...(traffic && { traffic }),
      ...(limit && { limit, rate_mbps: limit * 10, max_connections: limit })
    }))
}

/** Price rules, at most one for the same offers. */
const rules: fc.Arbitrary<ReadonlyArray<Rule>> = fc.uniqueArray(
  fc.record(
    {
      article: fc.constantFrom(...articleNames),
      kind: fc.constantFrom("datacenter" as const, "mobile" as const),
      markup: fc.integer({ min: -5000, max: 20_000 }),
      floor: usd,
      round: fc.constantFrom(50_000n, 1_000_000n),
      hidden: fc.constantFrom(false, false, true)
    },
    { requiredKeys: ["markup"] }
  ),
  { maxLength: 3, selector: ({ article, kind }) => JSON.stringify([article, kind]) }
)

/**
 * Any shop of these pools and articles: each address in one pool or in none, each article from one of its pools, on,
 * renewable, off or missing.
 */
export const shops: fc.Arbitrary<ShopFile> = fc
  .record({
    owners: fc.tuple(...addresses.map(() => fc.constantFrom(...poolNames, null))),
    machine: fc.option(fc.constantFrom(...poolNames), { freq: 3 }),
    articles: fc.record(
      Object.fromEntries(articleNames.map((name) => [name, fc.option(articleOf(name), { freq: 8 })]))
    ),
    prices: rules
  })
  .map(({ articles, machine, owners, prices }) => ({
    version: 1,
    pools: Object.fromEntries(
      poolNames.map((name) => {
        const exits = machine === name ? ("machine" as const) : addresses.filter((_, index) => owners[index] === name)
        return [name, { ...pools[name], exits }]
      })
    ),
    articles: Object.fromEntries(
      Object.entries(articles).flatMap(([name, article]) => (article === null ? [] : [[name, article]]))
    ),
    prices
  }))
