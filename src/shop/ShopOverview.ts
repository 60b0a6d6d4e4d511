import { Context, Effect, Layer, Option } from "effect"
import type { Offer } from "../catalog/Offer.ts"
import { matches, type PriceRule } from "../catalog/PriceRule.ts"
import { cascadeOf, type PriceCascade } from "./PriceCascade.ts"
import { ShopOverviewRepo } from "./ShopOverviewRepo.ts"
import { ShopRepo } from "./ShopRepo.ts"
import { ruleOf } from "./ShopRows.ts"
import type { ArticleFilter, ShownArticle } from "./ShownArticle.ts"

/** A price rule, and the number of offers of the catalog that it applies to. */
export interface ShownRule {
  readonly rule: PriceRule
  readonly offers: number
}

/** The fields of offers by which rules choose them. */
interface Group {
  readonly provider: string
  readonly kind: Offer["kind"]
  readonly country_code: string
  readonly external_id?: string
  readonly days: ReadonlyArray<number>
  readonly offers: number
}

const reachOf = (rule: PriceRule, groups: ReadonlyArray<Group>) =>
  groups.reduce((sum, { country_code: country, days, external_id = "", kind, offers, provider: vendor }) => {
    const subject = { vendor, kind, country, article: external_id }
    return days.some((days) => matches(rule, { ...subject, days })) ? sum + offers : sum
  }, 0)

/** Shows the shop of today: articles, price rules with their reach, and how the prices of an offer come about. */
export class ShopOverview extends Context.Service<
  ShopOverview,
  {
    /** Lists articles by kind and country. */
    readonly articles: (filter: ArticleFilter) => Effect.Effect<ReadonlyArray<ShownArticle>>
    /** Lists the price rules. */
    readonly plainRules: Effect.Effect<ReadonlyArray<PriceRule>>
    /** Lists the price rules with their reach, the most general first. */
    readonly rules: Effect.Effect<ReadonlyArray<ShownRule>>
    readonly price: (offer_id: Offer["id"]) => Effect.Effect<Option.Option<PriceCascade>>
  }
>()("app/shop/ShopOverview") {
  static readonly layerNoDeps = Layer.effect(
    ShopOverview,
    Effect.gen(function* () {
      const repo = yield* ShopOverviewRepo
      const shop = yield* ShopRepo
      const all = Effect.map(shop.rules, (rows) => rows.map(ruleOf))

      const rules = Effect.gen(function* () {
        const found = yield* all
        const groups = yield* repo.groups
        const named = yield* repo.named(found.flatMap(({ article }) => article ?? []))
        const byArticle = Map.groupBy(named, ({ external_id }) => external_id)
        const seenBy = ({ article }: PriceRule) => (article === undefined ? groups : (byArticle.get(article) ?? []))
        return found.map((rule) => ({ rule, offers: reachOf(rule, seenBy(rule)) }))
      })

      return ShopOverview.of({
        articles: repo.articles,
        plainRules: all,
        rules,
        price: Effect.fn("ShopOverview.price")(function* (offer_id) {
          const offer = yield* repo.offer(offer_id)
          const found = yield* all
          return Option.map(offer, (offer) => cascadeOf(offer, found))
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ShopOverviewRepo.layer, ShopRepo.layer]))
}
