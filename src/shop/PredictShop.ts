import { Effect, Struct } from "effect"
import { sellable } from "../catalog/CatalogWriter.ts"
import type { PriceRule } from "../catalog/PriceRule.ts"
import { repriced } from "../catalog/Pricing.ts"
import { type GatewayOffer, offerOf } from "../gateway/GatewayStock.ts"
import { inParts } from "../platform/InParts.ts"
import type { Moment } from "./ShopReport.ts"
import type { ArticleRow, OfferRow, ShopRows } from "./ShopRepo.ts"

const gateway = { name: "gateway", isOwn: true }

/** The shop that is to be, and how its offers are made. */
export interface Wanted extends ShopRows {
  /** The rules as prices are computed from them. */
  readonly prices: ReadonlyArray<PriceRule>
  /** False: the articles are kept, but not sold. */
  readonly isSelling: boolean
}

/** The articles of the file, and those that it lacks, which stay for their running orders. */
const articlesAfter = (before: ReadonlyArray<ArticleRow>, wanted: ReadonlyArray<ArticleRow>) => {
  const described = new Set(wanted.map(({ id }) => id))
  const removed = before.flatMap((article): ReadonlyArray<ArticleRow> => {
    if (described.has(article.id)) return []
    return [article.state === "on" ? { ...article, state: "renew_only" } : article]
  })
  return [...wanted, ...removed].toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : Number(a.id > b.id)))
}

/** Describes the articles as the gateway offers them, all in stock: a plan shows no stock. */
const offered = (articles: ReadonlyArray<ArticleRow>, pools: ShopRows["pools"], is_demo: boolean) => {
  const ofMachine = new Set(pools.flatMap(({ name, uses_machine }) => (uses_machine ? name : [])))
  return articles.flatMap(({ id, open_at_most: _limit, pool, position: _position, state, ...article }) => {
    if (state === "off") return []
    const uses_machine = ofMachine.has(pool)
    return offerOf({ ...article, external_id: id, state, uses_machine, is_demo, left: null }, Infinity)
  })
}

/** Keeps exactly the offered articles on sale, as `CatalogWriter.replace` does. */
const ownAfter = Effect.fnUntraced(function* (
  before: ReadonlyArray<OfferRow>,
  articles: ReadonlyArray<GatewayOffer>,
  prices: ReadonlyArray<PriceRule>
) {
  const sold = new Map((yield* sellable(gateway, articles, prices)).map((offer) => [offer.external_id, offer]))
  const kept = before.map((offer) => {
    if (offer.provider !== gateway.name) return offer
    const found = sold.get(offer.external_id)
    sold.delete(offer.external_id)
    return found === undefined ? { ...offer, listed: false, renewable: false } : { ...offer, ...found }
  })
  const first = 1 + before.reduce((last, { id }) => Math.max(last, id), 0)
  const added = [...sold.values()].map(({ mode: _mode, isp: _isp, ...offer }, index) => ({
    ...offer,
    id: (first + index) as OfferRow["id"],
    provider: gateway.name,
    running: 0
  }))
  return [...kept, ...added]
})

/** Predicts what `apply` makes of a moment, and writes nothing: a plan must not stop the sales that run beside it. */
export const after = Effect.fnUntraced(function* (before: Moment, pools: ShopRows["pools"], wanted: Wanted) {
  const articles = articlesAfter(before.articles, wanted.articles)
  const others = yield* inParts(before.offers, (part) =>
    Effect.sync(() =>
      part.map((offer) =>
        offer.provider === gateway.name || !offer.renewable || offer.source === null
          ? offer
          : repriced(offer.provider, offer, offer.source, wanted.prices)
      )
    )
  )
  const known = new Map([...pools, ...wanted.pools].map((pool) => [pool.name, pool]))
  const own = offered(articles, [...known.values()], wanted.is_demo)
  return {
    ...before,
    ...Struct.pick(wanted, ["addresses", "announce_above"]),
    articles,
    offers: wanted.isSelling ? yield* ownAfter(others, own, wanted.prices) : others
  }
})
