import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import { country, gigabytes } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { kindText } from "../desk/ProxyText.ts"

/** The cities of an offer, each once. */
export const citiesOf = ({ locations }: Offer): ReadonlyArray<string> => [
  ...new Set(locations.map(({ city }) => city).filter((city) => city !== ""))
]

const named = 3

const someCities = (cities: ReadonlyArray<string>): Content => {
  const more = cities.length - named
  return (
    cities.length > 0 &&
    html`${cities.slice(0, named).join(", ")}${more > 0 && html` ${counted("shop.more_cities", more)}`}`
  )
}

/** What an offer is, without what its name says: names are in English. */
export const about = (offer: Offer): Html => {
  const name = offer.name.toLowerCase()
  const unsaid = [kindText[offer.kind], country(offer.country_code), offer.ip_version].filter(
    (part) => !name.includes(html`${part}`.text.toLowerCase())
  )
  const parts = [...unsaid, someCities(citiesOf(offer)), offer.protocols.join(", ")].filter((part) => part !== false)
  return html`${parts.map((part, index) => html`${index > 0 && " · "}${part}`)}`
}

export const stock = ({ is_available }: Offer): Html =>
  is_available
    ? html`<span class="mark good">${text("shop.in_stock")}</span>`
    : html`<span class="mark">${text("shop.sold_out")}</span>`

export const traffic = ({ bandwidth_gb }: Pick<OfferOption, "bandwidth_gb">): Phrase =>
  bandwidth_gb === null ? text("shop.unlimited") : text("shop.included", { amount: gigabytes(bandwidth_gb) })
