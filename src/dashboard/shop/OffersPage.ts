import { type Offer, ProxyKind } from "../../catalog/Offer.ts"
import { hidden, select } from "../../pages/Field.ts"
import { country, money } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import type { Currency } from "../../platform/Money.ts"
import { currencyText } from "../desk/CurrencyText.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { periodText } from "../desk/PeriodText.ts"
import { kindText } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { about, stock } from "./OfferWords.ts"

/** The chosen filters, as texts of the address; `""` is all, and dollars. */
export interface Filters {
  readonly kind: string
  readonly country: string
  readonly region: string
  readonly city: string
  readonly stock: string
  readonly currency: string
  /** A promo code for the chosen offer; it chooses nothing here. */
  readonly promo_code: string
}

/** The chosen filters, and what can be chosen: codes of countries, places of the chosen country, currencies beside dollars. */
export interface Choices {
  readonly filters: Filters
  readonly countries: ReadonlyArray<string>
  readonly regions: ReadonlyArray<string>
  readonly cities: ReadonlyArray<string>
  readonly currencies: ReadonlyArray<Currency>
}

interface Offers extends Choices {
  readonly offers: ReadonlyArray<Offer>
  readonly part: Part
}

/** The currencies beside dollars in which something is sold. */
export const otherCurrencies = (offers: ReadonlyArray<Offer>): ReadonlyArray<Currency> =>
  offers.some(({ options }) => options.some(({ prices }) => prices.STAR !== null)) ? ["STAR"] : []

/** Sorts countries by their English names: the language of the reader is not known yet. */
const byName = (codes: ReadonlyArray<string>) =>
  codes
    .map((code) => ({ code, name: html`${country(code)}`.text }))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
    .map(({ code }) => code)

/** A path with the parameters that are not empty. */
const queried = (path: string, parameters: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString()
  return query === "" ? path : `${path}?${query}`
}

/** A choice among places; none without places. */
const placeSelect = (
  { any, label, name }: { readonly name: "region" | "city"; readonly label: Phrase; readonly any: Phrase },
  value: string,
  places: ReadonlyArray<string>
): Content =>
  places.length > 0 &&
  select({ name, label, value, submits: true, options: [["", any], ...places.map((place) => [place, place] as const)] })

const currencySelect = ({ currencies, filters }: Choices): Content =>
  currencies.length > 0 &&
  select({
    name: "currency",
    label: text("shop.prices_in"),
    value: filters.currency,
    submits: true,
    options: [["", currencyText.USD], ...currencies.map((currency) => [currency, currencyText[currency]] as const)]
  })

const filterForm = ({ pathTo }: Visit, { cities, countries, filters, regions, ...choices }: Offers): Html =>
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
    ${placeSelect({ name: "region", label: text("shop.region"), any: text("shop.any_region") }, filters.region, regions)}
    ${placeSelect({ name: "city", label: text("shop.city"), any: text("shop.any_city") }, filters.city, cities)}
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
    ${currencySelect({ cities, countries, filters, regions, ...choices })}
    ${filters.promo_code !== "" && hidden("promo_code", filters.promo_code)}
    <button class="noscript">${text("shop.filter_button")}</button>
  </form>`

const kindAbout = {
  datacenter: text("shop.about_datacenter"),
  residential: text("shop.about_residential"),
  mobile: text("shop.about_mobile")
} satisfies Record<typeof ProxyKind.Type, Phrase>

/** Helps to choose among the kinds. */
const kindHelp: Html = html`<details>
  <summary>${text("shop.which_kind")}</summary>
  <ul class="text">
    ${ProxyKind.literals.map((kind) => html`<li><b>${kindText[kind]}</b>: ${kindAbout[kind]}</li>`)}
    <li><b>IPv6</b>: ${text("shop.about_ipv6")}</li>
  </ul>
</details>`

/** The lowest price in a currency, and how long it is for. */
const cheapest = ({ options }: Offer, currency: Currency): Content => {
  const [option] = options
    .filter(({ prices }) => prices[currency] !== null)
    .toSorted((a, b) => Number((a.prices[currency] ?? 0n) - (b.prices[currency] ?? 0n)))
  if (option === undefined) return text("shop.not_in_currency")
  return text("shop.from_period", { price: money(currency, option.prices[currency] ?? 0n), period: periodText(option) })
}

/** The page of an offer, with what the filters say about its payment. */
const offerAddress = ({ pathTo }: Visit, { id }: Offer, { currency, promo_code }: Filters): string =>
  queried(pathTo(`shop/${id}`), { pay_with: currency === "STAR" ? "wallet_stars" : "", promo_code })

const card = (visit: Visit, offer: Offer, filters: Filters): Html =>
  html`<li class="card stack">
    <h2><a href="${offerAddress(visit, offer, filters)}">${offer.name}</a></h2>
    <p class="quiet">${about(offer)}</p>
    <p class="bar"><b>${cheapest(offer, filters.currency === "STAR" ? "STAR" : "USD")}</b>${stock(offer)}</p>
  </li>`

/** The address of the shop with filters. */
export const addressOf = (path: string, filters: Filters, offset = 0): string =>
  queried(path, { ...filters, offset: offset === 0 ? "" : String(offset) })

const promoCodeNote = ({ filters: { promo_code } }: Choices): Content =>
  promo_code !== "" && html`<p class="note">${text("shop.promo_code_kept", { code: html`<b>${promo_code}</b>` })}</p>`

/** The catalog of the shop. */
export const offersPage = (visit: Visit, offers: Offers): Page =>
  deskPage(
    visit,
    { title: text("desk.shop"), section: "shop", lead: text("shop.about") },
    html`${promoCodeNote(offers)} ${kindHelp} ${filterForm(visit, offers)}
      <div class="stack" id="offers" data-part>
        <p role="status" class="quiet">
          ${offers.part.total === 0 ? text("shop.none") : counted("shop.offers", offers.part.total)}
        </p>
        <ul class="offers">
          ${offers.offers.map((offer) => card(visit, offer, offers.filters))}
        </ul>
        ${paging(offers.part, (offset) => addressOf(visit.pathTo("shop"), offers.filters, offset))}
      </div>`
  )
