import { type Offer, ProxyKind } from "../../catalog/Offer.ts"
import { priceFrom } from "../../catalog/CatalogView.ts"
import { select } from "../../pages/Field.ts"
import { country, usd } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { periodText } from "../desk/PeriodText.ts"
import { kindText } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { about, stock } from "./OfferWords.ts"

/** The chosen filters, as texts of the address; `""` is all. */
export interface Filters {
  readonly kind: string
  readonly country: string
  readonly stock: string
}

interface Offers {
  readonly filters: Filters
  /** The codes of the countries in which something is sold. */
  readonly countries: ReadonlyArray<string>
  readonly offers: ReadonlyArray<Offer>
  readonly part: Part
}

/** Sorts countries by their English names: the language of the reader is not known yet. */
const byName = (codes: ReadonlyArray<string>) =>
  codes
    .map((code) => ({ code, name: html`${country(code)}`.text }))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
    .map(({ code }) => code)

const filterForm = ({ pathTo }: Visit, { countries, filters }: Offers): Html =>
  html`<form class="filters" action="${pathTo("shop")}">
    ${select({
      name: "kind",
      label: text("shop.kind"),
      value: filters.kind,
      submits: true,
      options: [["", text("shop.every_kind")], ...ProxyKind.literals.map((kind) => [kind, kindText[kind]] as const)]
    })}
    ${select({
      name: "country",
      label: text("shop.country"),
      value: filters.country,
      submits: true,
      options: [["", text("shop.every_country")], ...byName(countries).map((code) => [code, country(code)] as const)]
    })}
    ${select({
      name: "stock",
      label: text("shop.stock"),
      value: filters.stock,
      submits: true,
      options: [
        ["", text("shop.stock_any")],
        ["in", text("shop.in_stock")]
      ]
    })}
    <button class="noscript">${text("shop.filter_button")}</button>
  </form>`

/** The lowest price, and how long it is for. */
const cheapest = (offer: Offer): Content => {
  const price = priceFrom(offer)
  const option = offer.options.find(({ prices }) => prices.USD === price)
  return option && text("shop.from_period", { price: usd(price), period: periodText(option) })
}

const card = ({ pathTo }: Visit, offer: Offer): Html =>
  html`<li class="card stack">
    <h2><a href="${pathTo(`shop/${offer.id}`)}">${offer.name}</a></h2>
    <p class="quiet">${about(offer)}</p>
    <p class="bar"><b>${cheapest(offer)}</b>${stock(offer)}</p>
  </li>`

/** The address of the shop with filters. */
export const addressOf = (path: string, filters: Filters, offset = 0): string => {
  const pairs = Object.entries({ ...filters, offset: offset === 0 ? "" : String(offset) }).filter(([, value]) => value)
  const query = new URLSearchParams(pairs).toString()
  return query === "" ? path : `${path}?${query}`
}

/** The catalog of the shop. */
export const offersPage = (visit: Visit, offers: Offers): Page =>
  deskPage(
    visit,
    { title: text("desk.shop"), section: "shop", lead: text("shop.about") },
    html`${filterForm(visit, offers)}
      <div class="stack" id="offers" data-part>
        <p role="status" class="quiet">
          ${offers.part.total === 0 ? text("shop.none") : counted("shop.offers", offers.part.total)}
        </p>
        <ul class="offers">
          ${offers.offers.map((offer) => card(visit, offer))}
        </ul>
        ${paging(offers.part, (offset) => addressOf(visit.pathTo("shop"), offers.filters, offset))}
      </div>`
  )
