import type { Currency } from "../platform/Money.ts"
import type { Offer } from "./Offer.ts"

/** Chooses offers. Text is compared without case. */
export interface ChosenOffers {
  readonly kind?: Offer["kind"]
  readonly country?: string
  readonly region?: string
  readonly city?: string
  /** True keeps only offers in stock; false keeps all. */
  readonly is_available?: boolean
}

/** Chooses the offers of an answer and the currency of their prices. */
export interface CatalogFilter extends ChosenOffers {
  readonly currency: Currency
}

const fold = (text: string) => text.normalize("NFC").toLowerCase()

export const filtersByLocation = ({ city, region }: ChosenOffers) => region !== undefined || city !== undefined

/** Gives the same key to filters that choose the same offers. */
export const keyOf = ({ city, country, currency, is_available = false, kind, region }: CatalogFilter): string =>
  JSON.stringify([kind, country, region && fold(region), city && fold(city), is_available, currency])

/** Keeps an offer when one of its locations has both the region and the city. */
export const matching = (filter: ChosenOffers): ((offer: Offer) => boolean) => {
  const region = filter.region === undefined ? undefined : fold(filter.region)
  const city = filter.city === undefined ? undefined : fold(filter.city)
  const atLocation = (location: Offer["locations"][number]) =>
    (region === undefined || fold(location.region) === region) && (city === undefined || fold(location.city) === city)

  return (offer) =>
    (filter.kind === undefined || offer.kind === filter.kind) &&
    (filter.country === undefined || offer.country_code === filter.country) &&
    (filter.is_available !== true || offer.is_available) &&
    (!filtersByLocation(filter) || offer.locations.some(atLocation))
}
