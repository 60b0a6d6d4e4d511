import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import { country, gigabytes } from "../../pages/Format.ts"
import { counted, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { kindText } from "../desk/ProxyText.ts"

/** The cities of an offer, each once. */
export const citiesOf = ({ locations }: Offer): ReadonlyArray<string> => [
  ...new Set(locations.map(({ city }) => city).filter((city) => city !== ""))
]

const named = 3

/** The place of an offer: its country, and some of its cities. */
const place = (offer: Offer): Html => {
  const cities = citiesOf(offer)
  const more = cities.length - named
  return html`${country(offer.country_code)}${cities.length > 0 && html`: ${cities.slice(0, named).join(", ")}`}${
    more > 0 && html` ${counted("shop.more_cities", more)}`
  }`
}

export const kindAndPlace = (offer: Offer): Html => html`${kindText[offer.kind]}, ${place(offer)}`

export const stock = ({ is_available }: Offer): Html =>
  is_available
    ? html`<span class="mark good">${text("shop.in_stock")}</span>`
    : html`<span class="mark">${text("shop.sold_out")}</span>`

export const traffic = ({ bandwidth_gb }: Pick<OfferOption, "bandwidth_gb">): Phrase =>
  bandwidth_gb === null ? text("shop.unlimited") : text("shop.included", { amount: gigabytes(bandwidth_gb) })
