import { mostOffers } from "../catalog/Offer.ts"
import type { ReadShop } from "./ReadShopFile.ts"
import type { ArticleRow, ShopRows } from "./ShopRepo.ts"

type Option = ShopRows["articles"][number]["options"][number]

const samePeriod = (one: Option | undefined, other: Option | undefined) =>
  one === undefined ||
  other === undefined ||
  (one.period_days === other.period_days && one.bandwidth_gb === other.bandwidth_gb)

/** The present shop, and the addresses that running proxies have. */
type Current = Pick<ShopRows, "articles" | "pools"> & {
  /** The articles that customers have ordered. */
  readonly ordered: ReadonlySet<string>
  readonly held: ReadonlyArray<ShopRows["addresses"][number] & { readonly bound: number }>
}

/** Finds more articles than the catalog takes. It also has the removed articles, whose running orders can be extended. */
const tooMany = ({ faultAt }: ReadShop, wanted: ReadonlyArray<ArticleRow>, current: ReadonlyArray<ArticleRow>) => {
  const described = new Set(wanted.map(({ id }) => id))
  const kept = current.filter(({ id, state }) => state !== "off" && !described.has(id)).length
  const count = wanted.filter(({ state }) => state !== "off").length + kept
  return count <= mostOffers
    ? []
    : [
        faultAt(
          ["articles"],
          `With ${kept} removed articles, whose running orders can be extended, these are more than ${mostOffers}; describe removed articles without running orders again, with state: off`
        )
      ]
}

/** Finds the articles that become other goods: of another kind, country or IP version. */
export const otherGoods = (wanted: ReadonlyArray<ArticleRow>, current: ReadonlyArray<ArticleRow>) => {
  const articles = new Map(current.map((article) => [article.id, article]))
  return wanted.flatMap(({ country_code, id, ip_version, kind }) => {
    const old = articles.get(id)
    const isSame = old?.kind === kind && old.country_code === country_code && old.ip_version === ip_version
    return old === undefined || isSame ? [] : old
  })
}

/** Finds changes that contradict what customers have bought: goods, periods and addresses. */
export const conflicts = ({ faultAt, shop }: ReadShop, wanted: Omit<ShopRows, "is_demo">, current: Current) => {
  const pools = new Map(current.pools.map((pool) => [pool.name, pool]))
  const articles = new Map(current.articles.map((article) => [article.id, article]))
  const others = new Set(otherGoods(wanted.articles, current.articles))
  const held = new Map(current.held.map((address) => [address.ip, address]))
  return [
    ...tooMany({ faultAt, shop }, wanted.articles, current.articles),
    ...wanted.pools.flatMap(({ country_code, kind, name }) => {
      const old = pools.get(name)
      return old === undefined || (old.kind === kind && old.country_code === country_code)
        ? []
        : faultAt(
            ["pools", name],
            `The pool keeps its kind (${old.kind}) and its country (${old.country_code}); give the pool another name here and in its articles`
          )
    }),
    ...wanted.articles.flatMap((article) => {
      const old = articles.get(article.id)
      if (old === undefined) return []
      if (!current.ordered.has(article.id)) return []
      if (others.has(old))
        return faultAt(
          ["articles", article.id],
          `Customers have ordered the article, so it keeps its kind, country and IP version (${old.kind}, ${old.country_code}, ${old.ip_version}); give this one another name, and the old one goes off sale`
        )
      // A later period at its position would be another tariff for an order that read an older catalog.
      if (article.kind === "mobile" && article.options.length < old.options.length)
        return faultAt(
          ["articles", article.id, "periods"],
          `The article has ${old.options.length} periods, and clients order them by their position: keep all of them, or make a new article`
        )
      return article.options.flatMap((option, index) =>
        samePeriod(option, old.options[index])
          ? []
          : faultAt(
              ["articles", article.id, "periods", index],
              "Clients order a period by its position: periods keep their order, days and GB; add new ones at the end, or make a new article"
            )
      )
    }),
    ...Object.entries(shop.pools).flatMap(([name, { exits }]) =>
      exits === "machine"
        ? []
        : exits.flatMap((ip, index) => {
            const old = held.get(ip)
            return old === undefined || old.pool === name || old.bound === 0
              ? []
              : faultAt(
                  ["pools", name, "exits", index],
                  `${old.bound} running ${old.bound === 1 ? "proxy" : "proxies"} of the pool ${old.pool} ${old.bound === 1 ? "has" : "have"} ${ip}; remove the address, and add it to another pool when they have ended`
                )
          })
    )
  ]
}
