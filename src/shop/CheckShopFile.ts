import { Schema } from "effect"
import { selectorOf, setsNothing } from "../catalog/PriceRule.ts"
import { countryFault } from "../platform/fields/Country.ts"
import { Article, isName, Pool, Rule, type ShopFile } from "./ShopFile.ts"

export type Path = ReadonlyArray<string | number>

export const own = (path: Path, reason: string) => ({ path, reason })
/** A fault at a field of the file. */
export type Found = ReturnType<typeof own>

/** Sorts faults by their lines. */
export const inOrder = <Fault extends { readonly line: number }>(faults: ReadonlyArray<Fault>) =>
  faults.toSorted((a, b) => a.line - b.line)

/** The parts of a shop file that can be read. Undefined: a part that has another fault. */
export interface ReadableShop {
  readonly pools: ReadonlyMap<string, typeof Pool.Type | undefined>
  readonly articles: ReadonlyMap<string, typeof Article.Type | undefined>
  readonly prices: ReadonlyArray<typeof Rule.Type | undefined>
  /** The names of pools in articles that cannot be read. */
  readonly otherPools: ReadonlyMap<string, string>
}

export const allOf = ({ articles, pools, prices = [] }: ShopFile): ReadableShop => ({
  pools: new Map(Object.entries(pools)),
  articles: new Map(Object.entries(articles)),
  prices,
  otherPools: new Map()
})

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown) => Object.entries(isGroup(value) ? value : {})

const part = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, onExcessProperty: "error" | "ignore") => {
  const decode = Schema.decodeUnknownOption(schema, { onExcessProperty })
  return (value: unknown): S["Type"] | undefined => {
    const found = decode(value)
    return found._tag === "Some" ? found.value : undefined
  }
}
const poolOf = part(Pool, "ignore")
const articleOf = part(Article, "ignore")
// A rule whose only part has a wrong name does not also set nothing.
const ruleOf = part(Rule, "error")

/** Reads each pool, article and rule of a file that has faults. */
export const readableOf = (file: unknown): ReadableShop => {
  const { articles, pools, prices } = isGroup(file) ? file : {}
  const described = fieldsOf(articles).map(([id, value]) => ({ id, value, article: articleOf(value) }))
  return {
    pools: new Map(fieldsOf(pools).map(([name, value]) => [name, poolOf(value)])),
    articles: new Map(described.map(({ article, id }) => [id, article])),
    prices: Array.isArray(prices) ? prices.map(ruleOf) : [],
    otherPools: new Map(
      described.flatMap(({ article, id, value }) => {
        const pool = isGroup(value) ? value["pool"] : undefined
        return article === undefined && typeof pool === "string" ? [[id, pool]] : []
      })
    )
  }
}

export const repeated = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string) => {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = keyOf(item)
    return seen.has(key) || !seen.add(key)
  })
}

/** Keeps the parts that can be read, each with its name or its position. */
const read = <K, A>(parts: Iterable<readonly [K, A | undefined]>): ReadonlyArray<readonly [K, A]> =>
  [...parts].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))

const nameFaults = ({ articles, pools }: ReadableShop): ReadonlyArray<Found> =>
  Object.entries({ pools, articles }).flatMap(([field, named]) =>
    [...named.keys()]
      .filter((name) => !isName(name))
      .map((name) => own([field, name], "A name is 1 to 63 small letters, digits and hyphens, such as us-datacenter"))
  )

const countryFaults = ({ pools, prices }: ReadableShop): ReadonlyArray<Found> =>
  [
    ...read(pools).map(([name, { country }]) => ({ country, path: ["pools", name, "country"] })),
    ...read(prices.entries()).map(([index, { country }]) => ({ country, path: ["prices", index, "country"] }))
  ].flatMap(({ country, path }) => {
    const reason = country === undefined ? undefined : countryFault(country)
    return reason === undefined ? [] : own(path, reason)
  })

const addressFaults = ({ pools }: ReadableShop): ReadonlyArray<Found> => {
  const exits = read(pools).flatMap(([name, { exits }]) =>
    exits === "machine" ? [] : exits.map((ip, index) => ({ ip, path: ["pools", name, "exits", index] }))
  )
  return repeated(exits, ({ ip }) => ip).map(({ ip, path }) =>
    own(path, `${ip} is in the file twice; an address belongs to one pool`)
  )
}

/** Finds faults of the ways in which the address of an article changes. */
const rotationFaults = (at: (field: string) => Path, article: typeof Article.Type, pool: typeof Pool.Type) => {
  const { rotate_minutes, sessions } = article
  const fields = [
    ...(rotate_minutes === undefined ? [] : ["rotate_minutes"]),
    ...(sessions === undefined ? [] : ["sessions"])
  ]
  return [
    ...fields.flatMap((field) =>
      pool.kind === "mobile" && pool.exits !== "machine"
        ? []
        : own(at(field), "Only mobile articles of a pool with addresses change their address")
    ),
    ...(fields.length < 2
      ? []
      : [own(at("rotate_minutes"), "With sessions, each connection has another address already")]),
    ...(sessions === undefined || sessions.minutes <= sessions.max_minutes
      ? []
      : [own(at("sessions"), "max_minutes must not be below minutes")])
  ]
}

/** Finds what an article asks of its pool and does not get. */
const poolFaults = (id: string, article: typeof Article.Type, pool: typeof Pool.Type): ReadonlyArray<Found> => {
  const at = (...rest: Path) => ["articles", id, ...rest]
  const isMobile = pool.kind === "mobile"
  const has = (version: string) =>
    (article.state ?? "on") !== "on" ||
    pool.exits === "machine" ||
    pool.exits.some((ip) => ip.includes(":") === (version === "IPv6"))
  return [
    ...(has(article.ip_version)
      ? []
      : [own(at("ip_version"), `The pool ${article.pool} has no ${article.ip_version} address`)]),
    ...(isMobile === (article.mode === "rotating")
      ? []
      : [own(at("mode"), `A ${pool.kind} article is ${isMobile ? "rotating" : "static"}`)]),
    ...rotationFaults(at, article, pool),
    ...(article.udp !== true || (article.protocols ?? ["SOCKS5"]).includes("SOCKS5")
      ? []
      : [own(at("udp"), "UDP needs SOCKS5 among the protocols")]),
    ...(article.places === undefined || pool.kind === "residential"
      ? []
      : [own(at("places"), "Only residential articles have places")]),
    ...repeated(
      article.periods.map((period, index) => ({ ...period, index })),
      ({ days, gb }) => (isMobile ? `${days} ${gb}` : `${days}`)
    ).map(({ index }) => own(at("periods", index), "Another period has the same length"))
  ]
}

const mostNames = 10

/** Names the pools that there are. */
const poolMissing = (pool: string, pools: ReadonlyArray<string>) => {
  const rest = pools.length > mostNames ? ", ..." : ""
  const known = pools.length === 0 ? "" : `; the pools are ${pools.slice(0, mostNames).join(", ")}${rest}`
  return `There is no pool ${pool}${known}`
}

const articleFaults = ({ articles, otherPools, pools }: ReadableShop): ReadonlyArray<Found> => {
  const names = [...pools.keys()]
  const named = [...read(articles).map(([id, { pool }]) => [id, pool] as const), ...otherPools]
  return [
    ...named.flatMap(([id, pool]) =>
      pools.has(pool) ? [] : [own(["articles", id, "pool"], poolMissing(pool, names))]
    ),
    ...read(articles).flatMap(([id, article]) => {
      const pool = pools.get(article.pool)
      return pool === undefined ? [] : poolFaults(id, article, pool)
    }),
    ...read(articles).flatMap(([id, { periods }]) =>
      periods.flatMap(({ days, months }, index) =>
        months === undefined || (days >= months * 28 && days <= months * 31)
          ? []
          : [own(["articles", id, "periods", index, "months"], `${days} days are not ${months} calendar months`)]
      )
    )
  ]
}

const wordFields = ["name", "description"] as const

/** Finds words that are not those of a vendor's whole offer. An article has its own, which the catalog completes. */
const wordFaults = (index: number, rule: typeof Rule.Type): ReadonlyArray<Found> => {
  const words = wordFields.filter((field) => rule[field] !== undefined)
  const at = (field: string, reason: string) => own(["prices", index, field], reason)
  return [
    ...(words.length > 0 && rule.vendor === undefined && rule.article === undefined
      ? [at("vendor", "A rule with a name or a description names its vendor")]
      : []),
    ...words.flatMap((field) => [
      ...(rule.vendor === "gateway" ? [at(field, `An article of the gateway has its ${field} in articles`)] : []),
      ...(rule.days === undefined ? [] : [at(field, `A ${field} is that of a whole offer, so the rule has no days`)])
    ])
  ]
}

const ruleFaults = ({ prices }: ReadableShop): ReadonlyArray<Found> => {
  const rules = read(prices.entries()).map(([index, rule]) => ({ rule, index }))
  return [
    ...rules
      .filter(({ rule }) => rule.article !== undefined && rule.vendor === undefined)
      .map(({ index }) => own(["prices", index, "vendor"], "A rule of an article names its vendor too")),
    ...rules
      .filter(({ rule }) => rule.price !== undefined && rule.days === undefined)
      .map(({ index }) => own(["prices", index, "days"], "A fixed price names the days of its period")),
    ...rules
      .filter(({ rule }) => rule.hidden !== undefined && rule.days !== undefined)
      .map(({ index }) => own(["prices", index, "hidden"], "A rule hides whole offers, so it has no days")),
    ...rules.flatMap(({ index, rule }) => wordFaults(index, rule)),
    ...rules
      .filter(({ rule }) => rule.price !== undefined && rule.markup !== undefined)
      .map(({ index }) => own(["prices", index, "markup"], "A rule has a fixed price or a markup, not both")),
    ...rules
      .filter(({ rule }) => setsNothing(rule))
      .map(({ index }) => own(["prices", index], "The rule sets nothing, such as a markup or a floor")),
    ...repeated(rules, ({ rule }) => selectorOf(rule)).map(({ index }) =>
      own(["prices", index], "Another rule is for exactly the same offers")
    )
  ]
}

/** Finds the faults that concern several fields: names, countries, references between the parts of the file. */
export const faultsOf = (shop: ReadableShop): ReadonlyArray<Found> => [
  ...nameFaults(shop),
  ...countryFaults(shop),
  ...addressFaults(shop),
  ...articleFaults(shop),
  ...ruleFaults(shop)
]
