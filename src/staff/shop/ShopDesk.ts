import { Context, Effect, Layer, Option } from "effect"
import type { PriceRule } from "../../catalog/PriceRule.ts"
import { OfferId } from "../../catalog/Offer.ts"
import type { ArticleFields } from "../../shop/EditShopFile.ts"
import { writeAside } from "../../shop/ReadShopAside.ts"
import { Shop } from "../../shop/Shop.ts"
import { ShopOverview } from "../../shop/ShopOverview.ts"
import type { ArticleFilter } from "../../shop/ShownArticle.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import * as Keyset from "../Keyset.ts"
import { ShopArticleNotFound, ShopOfferNotFound } from "./ShopErrors.ts"
import {
  type ArticleView,
  articleView,
  type CascadeView,
  cascadeView,
  encodeRule,
  type RuleView,
  ruleView
} from "./ShopViews.ts"

type By = Actor["Service"]

/** The present shop as a file. */
interface ShopText {
  readonly text: string
  /** Identifies the shop. A change that names another version is refused. */
  readonly version: string
  readonly is_demo: boolean
}

/** The fields of an article, with the version of the shop that they are from. */
interface EditedArticle {
  readonly article: ArticleFields
  readonly version: string
}

const reading = <A, E>(actor: By, read: Effect.Effect<A, E>) => Effect.andThen(needs(actor, "shop.read"), read)

/** Shows the shop of today to staff. */
export class ShopDesk extends Context.Service<
  ShopDesk,
  {
    /** The present shop as a file; an empty text before the first shop. */
    readonly file: (actor: By) => Effect.Effect<ShopText, PermissionNeeded>
    /** The version of the present shop. */
    readonly version: (actor: By) => Effect.Effect<string, PermissionNeeded>
    /** True while the shop is the demo. */
    readonly isDemo: (actor: By) => Effect.Effect<boolean, PermissionNeeded>
    readonly articles: (
      actor: By,
      filter: ArticleFilter
    ) => Effect.Effect<
      { readonly items: ReadonlyArray<typeof ArticleView.Type>; readonly next: string | null },
      PermissionNeeded
    >
    /** An article of the present file, for a form. */
    readonly article: (actor: By, id: string) => Effect.Effect<EditedArticle, PermissionNeeded | ShopArticleNotFound>
    /** The rule of exactly the offers that these fields select; undefined when there is none. */
    readonly rule: (
      actor: By,
      selector: Readonly<Record<string, string>>
    ) => Effect.Effect<(typeof RuleView.Type)["rule"] | undefined, PermissionNeeded>
    readonly rules: (actor: By) => Effect.Effect<ReadonlyArray<typeof RuleView.Type>, PermissionNeeded>
    /** Explains the prices of an offer: each part, and the rule that set it. */
    readonly price: (
      actor: By,
      offer_id: number
    ) => Effect.Effect<typeof CascadeView.Type, PermissionNeeded | ShopOfferNotFound>
  }
>()("app/staff/ShopDesk") {
  static readonly layerNoDeps = Layer.effect(
    ShopDesk,
    Effect.gen(function* () {
      const overview = yield* ShopOverview
      const shop = yield* Shop

      const file = Effect.gen(function* () {
        const present = yield* shop.present
        if (present === undefined) return { text: "", version: yield* shop.version, is_demo: false }
        const { file, is_demo, version } = present
        return { text: yield* writeAside(file), version, is_demo }
      })

      const article = Effect.fnUntraced(function* (id: string) {
        const { articleIn } = yield* Effect.promise(() => import("../../shop/EditShopFile.ts"))
        const present = yield* shop.present
        const article = present === undefined ? undefined : articleIn(present.file, id)
        if (present === undefined || article === undefined) return yield* new ShopArticleNotFound()
        return { article, version: present.version }
      })

      const price = Effect.fnUntraced(function* (offer_id: number) {
        const found = yield* overview.price(OfferId.make(offer_id))
        return Option.isNone(found) ? yield* new ShopOfferNotFound() : cascadeView(found.value)
      })

      return ShopDesk.of({
        file: (actor) => reading(actor, file),
        version: (actor) => reading(actor, shop.version),
        isDemo: (actor) => reading(actor, shop.isDemo),
        articles: Effect.fn("ShopDesk.articles")((actor, filter) =>
          reading(
            actor,
            Effect.map(overview.articles({ ...filter, limit: filter.limit + 1 }), (rows) => {
              const { items, next } = Keyset.pageOf(rows, filter.limit)
              return { items: items.map(articleView), next }
            })
          )
        ),
        article: Effect.fn("ShopDesk.article")((actor, id) => reading(actor, article(id))),
        rule: Effect.fn("ShopDesk.rule")((actor, selector) => {
          const isSelected = (rule: PriceRule) =>
            Object.entries(selector).every(([name, value]) => String(rule[name as keyof PriceRule] ?? "") === value)
          const found = Effect.map(overview.plainRules, (rules) => rules.find(isSelected))
          return reading(
            actor,
            Effect.map(found, (rule) => (rule === undefined ? undefined : encodeRule(rule)))
          )
        }),
        rules: Effect.fn("ShopDesk.rules")((actor) =>
          reading(
            actor,
            Effect.map(overview.rules, (rules) => rules.map(ruleView))
          )
        ),
        price: Effect.fn("ShopDesk.price")((actor, offer_id) => reading(actor, price(offer_id)))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Shop.layer, ShopOverview.layer]))
}
