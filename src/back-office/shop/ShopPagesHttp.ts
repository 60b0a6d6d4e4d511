import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { text } from "../../pages/Html.ts"
import { ShopDesk } from "../../staff/shop/ShopDesk.ts"
import { ShopOfferNotFound } from "../../staff/shop/ShopErrors.ts"
import { ArticleView } from "../../staff/shop/ShopViews.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { cascadePage, rulesPage, shopPage } from "./ShopPages.ts"

const perPage = 100

const isKind = Schema.is(ArticleView.fields.kind)

/** Reads the filters of a query. A text that no article can have is left out. */
const filterOf = ({ query }: AdminVisit) => {
  const given = (name: string) => query.get(name)?.trim() ?? ""
  const [kind, country, after] = [given("kind"), given("country").toUpperCase(), given("after")]
  return {
    limit: perPage,
    ...(isKind(kind) && { kind }),
    ...(/^[A-Z]{2}$/.test(country) && { country }),
    ...(/^[a-z0-9-]{1,63}$/.test(after) && { after })
  }
}

const afterOf = ({ query }: AdminVisit) => {
  const after = query.get("after") ?? ""
  return /^\d{1,4}$/.test(after) ? Number(after) : 0
}

/** The pages of the shop of today: articles, price rules, and how prices come about. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* ShopDesk
    const { pathTo, show } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("shop"),
      show(
        Effect.fnUntraced(function* (visit) {
          const { actor, query } = visit
          const shown = { ...(yield* desk.articles(actor, filterOf(visit))), isDemo: yield* desk.isDemo(actor) }
          return shopPage(visit, {
            ...shown,
            ...(query.get("done") === "applied" && { notice: text("goods.applied") })
          })
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("shop/rules"),
      show(
        Effect.fnUntraced(function* (visit) {
          const rules = yield* desk.rules(visit.actor)
          const from = afterOf(visit)
          const next = rules.length > from + perPage ? from + perPage : undefined
          return rulesPage(visit, { rules: rules.slice(from, from + perPage), next })
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("shop/offers/:offer_id"),
      show(
        Effect.fnUntraced(function* (visit) {
          const { offer_id = "" } = yield* HttpRouter.params
          if (!/^\d{1,9}$/.test(offer_id)) return yield* new ShopOfferNotFound()
          return cascadePage(visit, yield* desk.price(visit.actor, Number(offer_id)))
        })
      )
    )
  })
)
