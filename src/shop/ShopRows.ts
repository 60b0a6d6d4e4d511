import type { ShopFile } from "./ShopFile.ts"
import type { ArticleRow, ShopRows } from "./ShopRepo.ts"

type Article = ShopFile["articles"][string]
type Rule = NonNullable<ShopFile["prices"]>[number]

/** 20 %, in hundredths of a percent. */
const announceAbove = 2000
const allProtocols = ["HTTP", "HTTPS", "SOCKS5"] as const

const unpriced = { USD: null, STAR: null }

const optionOf = ({ cost = 0n, days, gb, months, name, star, usd }: Article["periods"][number]) => ({
  period_days: days,
  period_name: name,
  period_months: months ?? 0,
  bandwidth_gb: gb ?? null,
  prices: { USD: usd, STAR: star ?? null },
  cost_usd: cost
})

const articleOf = ({ pools }: ShopFile, id: string, article: Article, position: number): ReadonlyArray<ArticleRow> => {
  const pool = pools[article.pool]
  if (pool === undefined) return []
  const { traffic } = article
  return [
    {
      id,
      position,
      pool: article.pool,
      kind: pool.kind,
      country_code: pool.country,
      mode: article.mode,
      ip_version: article.ip_version,
      name: article.name,
      description: article.description ?? null,
      locations: article.places ?? [],
      protocols: article.protocols ?? allProtocols,
      options: article.periods.map(optionOf),
      price_per_gb:
        traffic === undefined
          ? unpriced
          : { USD: traffic.usd, STAR: traffic.star ?? null, cost_usd: traffic.cost ?? 0n },
      open_at_most: article.limit ?? null,
      rate_mbps: article.rate_mbps ?? null,
      max_connections: article.max_connections ?? null,
      state: article.state ?? "on"
    }
  ]
}

/** Converts a shop file to the rows that describe the same shop. */
export const rowsOf = (shop: ShopFile): Omit<ShopRows, "is_demo"> => {
  const pools = Object.entries(shop.pools)
  return {
    pools: pools.map(([name, { country, exits, kind }]) => ({
      name,
      kind,
      country_code: country,
      uses_machine: exits === "machine"
    })),
    addresses: pools.flatMap(([pool, { exits }]) => (exits === "machine" ? [] : exits.map((ip) => ({ ip, pool })))),
    articles: Object.entries(shop.articles).flatMap(([id, article], position) =>
      articleOf(shop, id, article, position)
    ),
    rules: (shop.prices ?? []).map((rule) => ({
      vendor: rule.vendor ?? null,
      kind: rule.kind ?? null,
      country: rule.country ?? null,
      article: rule.article ?? null,
      days: rule.days ?? null,
      markup: rule.markup ?? null,
      price: rule.price ?? null,
      floor: rule.floor ?? null,
      round: rule.round ?? null,
      star_rate: rule.star_rate ?? null,
      hidden: rule.hidden ?? null,
      name: rule.name ?? null,
      description: rule.description ?? null
    })),
    announce_above: shop.renewals?.announce_above ?? announceAbove
  }
}

/** Leaves out the fields that have their default. */
const without = <A extends object>(fields: A, isDefault: (value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value)))

const isNothing = (value: unknown) => value === null || value === undefined

const periodOf = ({
  bandwidth_gb,
  cost_usd,
  period_days,
  period_months,
  period_name,
  prices
}: ArticleRow["options"][number]) =>
  without(
    {
      days: period_days,
      months: period_months === 0 ? null : period_months,
      name: period_name,
      gb: bandwidth_gb,
      usd: prices.USD,
      star: prices.STAR,
      cost: cost_usd === 0n ? null : cost_usd
    },
    isNothing
  )

const writtenArticle = (row: ArticleRow) => {
  const { cost_usd = 0n, STAR, USD } = row.price_per_gb
  return without(
    {
      pool: row.pool,
      mode: row.mode,
      ip_version: row.ip_version,
      name: row.name,
      description: row.description,
      places: row.locations.length === 0 ? null : row.locations,
      protocols: row.protocols.join() === allProtocols.join() ? null : row.protocols,
      periods: row.options.map(periodOf),
      traffic:
        USD === null ? null : without({ usd: USD, star: STAR, cost: cost_usd === 0n ? null : cost_usd }, isNothing),
      limit: row.open_at_most,
      rate_mbps: row.rate_mbps,
      max_connections: row.max_connections,
      state: row.state === "on" ? null : row.state
    },
    isNothing
  ) as Article
}

/** Converts the row of a price rule to the rule. */
export const ruleOf = (row: ShopRows["rules"][number]): Rule => without(row, isNothing) as Rule

/** Converts rows to the shop file that describes the same shop. */
export const fileOf = ({ addresses, announce_above, articles, pools, rules }: Omit<ShopRows, "is_demo">): ShopFile => ({
  version: 1,
  pools: Object.fromEntries(
    pools.map(({ country_code, kind, name, uses_machine }) => {
      const exits = uses_machine ? ("machine" as const) : addresses.flatMap(({ ip, pool }) => (pool === name ? ip : []))
      return [name, { country: country_code, kind, exits }]
    })
  ),
  articles: Object.fromEntries(articles.map((row) => [row.id, writtenArticle(row)])),
  ...(rules.length > 0 && { prices: rules.map(ruleOf) }),
  renewals: { announce_above }
})
