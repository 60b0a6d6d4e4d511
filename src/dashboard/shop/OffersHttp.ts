import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Catalog } from "../../catalog/Catalog.ts"
import { ProxyKind } from "../../catalog/Offer.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { addressOf, type Filters, offersPage } from "./OffersPage.ts"

const offersOnPage = 24

/** Reads the filters of an address. Unknown values choose nothing. */
const filtersOf = (query: URLSearchParams, countries: ReadonlyArray<string>): Filters => {
  const one = (name: string, known: ReadonlyArray<string>) => known.find((value) => value === query.get(name)) ?? ""
  return {
    kind: one("kind", ProxyKind.literals),
    country: one("country", countries),
    stock: one("stock", ["in"])
  }
}

/** The catalog of the shop. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const catalog = yield* Catalog
    const pages = yield* Pages
    const path = yield* pathOf("shop")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const everything = yield* catalog.offers({}, visit.user.id)
      const countries = [...new Set(everything.map(({ country_code }) => country_code))]
      const filters = filtersOf(visit.query, countries)
      const kind = ProxyKind.literals.find((kind) => kind === filters.kind)
      const found = yield* catalog.offers(
        {
          ...(kind !== undefined && { kind }),
          ...(filters.country !== "" && { country: filters.country }),
          is_available: filters.stock === "in"
        },
        visit.user.id
      )
      const offset = offsetOf(visit.query)
      // Offers may have been sold out since the person came to this part of the list.
      if (offset > 0 && offset >= found.length) return redirect(addressOf(path, filters))
      const part = { limit: offersOnPage, offset, total: found.length }
      return offersPage(visit, { filters, countries, offers: found.slice(offset, offset + offersOnPage), part })
    })

    yield* router.add("GET", path, pages.show(show))
  })
)
