import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Catalog } from "../../catalog/Catalog.ts"
import { type ChosenOffers, matching } from "../../catalog/CatalogFilter.ts"
import { type Offer, ProxyKind } from "../../catalog/Offer.ts"
import { Flags } from "../../flags/Flags.ts"
import { PromoCodeText } from "../../orders/checkout/OrderRequest.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { offsetOf } from "../../pages/Paging.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { addressOf, type Choices, type Filters, offersPage, otherCurrencies } from "./OffersPage.ts"

const offersOnPage = 24

const promoCodeOf = Schema.decodeUnknownOption(PromoCodeText)

/** The places of some offers by one of their names, each once, in alphabetical order. */
const placesOf = (offers: ReadonlyArray<Offer>, name: "region" | "city", region = "") => {
  const places = offers
    .flatMap(({ locations }) => locations)
    .filter((place) => region === "" || place.region === region)
  return [...new Set(places.map((place) => place[name]).filter((place) => place !== ""))].toSorted()
}

/** Reads the filters of an address. Unknown values choose nothing. Places can be chosen in one country. */
const choicesOf = (query: URLSearchParams, offers: ReadonlyArray<Offer>, byPlace: boolean): Choices => {
  const one = (name: string, known: ReadonlyArray<string>) => known.find((value) => value === query.get(name)) ?? ""
  const countries = [...new Set(offers.map(({ country_code }) => country_code))]
  const country = one("country", countries)
  const there = byPlace && country !== "" ? offers.filter(({ country_code }) => country_code === country) : []
  const regions = placesOf(there, "region")
  const region = one("region", regions)
  const cities = placesOf(there, "city", region)
  const filters = {
    kind: one("kind", ProxyKind.literals),
    country,
    region,
    city: one("city", cities),
    stock: one("stock", ["in"]),
    currency: one("currency", otherCurrencies(offers)),
    promo_code: Option.getOrElse(promoCodeOf(query.get("promo_code")), () => "")
  }
  return { filters, countries, regions, cities, currencies: otherCurrencies(offers) }
}

const chosenOf = ({ city, country, kind, region, stock }: Filters): ChosenOffers => {
  const known = ProxyKind.literals.find((literal) => literal === kind)
  return {
    ...(known !== undefined && { kind: known }),
    ...(country !== "" && { country }),
    ...(region !== "" && { region }),
    ...(city !== "" && { city }),
    is_available: stock === "in"
  }
}

/** The catalog of the shop. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const catalog = yield* Catalog
    const flags = yield* Flags
    const pages = yield* Pages
    const path = yield* pathOf("shop")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const everything = yield* catalog.offers({})
      const byPlace = yield* flags.enabled("isp.city.enable", visit.user.id)
      const choices = choicesOf(visit.query, everything, byPlace)
      const found = everything.filter(matching(chosenOf(choices.filters)))
      const offset = offsetOf(visit.query)
      // Offers may have been sold out since the person came to this part of the list.
      if (offset > 0 && offset >= found.length) return redirect(addressOf(path, choices.filters))
      const part = { limit: offersOnPage, offset, total: found.length }
      return offersPage(visit, { ...choices, offers: found.slice(offset, offset + offersOnPage), part })
    })

    yield* router.add("GET", path, pages.show(show))
  })
)
