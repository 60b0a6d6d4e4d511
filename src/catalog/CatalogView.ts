import { Schema } from "effect"
import { Currency } from "../platform/Money.ts"
import * as Money from "../platform/Money.ts"
import { Offer, OfferId, OfferOption } from "./Offer.ts"

const Price = Schema.NullOr(Schema.Finite)

const OptionView = Schema.Struct({
  tarification_index: Schema.Int.annotate({
    description: "The position in the offer's options, from 0",
    examples: [0]
  }),
  period_days: OfferOption.fields.period_days.annotate({ examples: [30] }),
  period_name: Schema.String.annotate({ examples: ["1 month"] }),
  period_months: OfferOption.fields.period_months.annotate({
    description: "Calendar months; 0 for a period shorter than a month",
    examples: [1]
  }),
  bandwidth_gb: Schema.NullOr(Schema.Finite).annotate({
    description: "Included traffic in GB (10^9 bytes); null means unlimited",
    examples: [50]
  }),
  price: Price.annotate({
    description: "In the offer's currency; null when the option is not sold in it",
    examples: [3.5]
  })
}).annotate({ identifier: "CatalogOption" })

/** The wire form of an offer. */
export const OfferView = Schema.Struct({
  id: OfferId.annotate({ description: "The `offer_id` to order", examples: [OfferId.make(17)] }),
  kind: Offer.fields.kind.annotate({ examples: ["residential"] }),
  mode: Schema.String.annotate({
    description: "The provider's own name for the mode, such as `static`",
    examples: ["static"]
  }),
  ip_version: Offer.fields.ip_version.annotate({ examples: ["IPv4"] }),
  name: Schema.String.annotate({ examples: ["Residential ISP, Germany"] }),
  description: Schema.optionalKey(
    Schema.String.annotate({ examples: ["Static addresses of consumer internet providers"] })
  ),
  country_code: Offer.fields.country_code.annotate({ description: "ISO 3166-1 alpha-2", examples: ["DE"] }),
  isp: Schema.optionalKey(
    Schema.String.annotate({
      description: "The internet service provider of its addresses; absent when the vendor names none",
      examples: ["Example Mobile"]
    })
  ),
  is_available: Schema.Boolean.annotate({ description: "True when the offer can be bought now", examples: [true] }),
  price_from_usd: Schema.Finite.annotate({ description: "The lowest price of the options, in USD", examples: [3.5] }),
  currency: Currency.annotate({ description: "The currency of the prices", examples: ["USD"] }),
  price_per_gb: Price.annotate({
    description: "The price of one additional GB of traffic; null when traffic cannot be added in this currency",
    examples: [0.6]
  }),
  protocols: Offer.fields.protocols.annotate({
    description: "The protocols that an order may choose",
    examples: [["HTTP", "SOCKS5"]]
  }),
  locations: Schema.Array(Schema.Struct({ region: Schema.String, city: Schema.String })).annotate({
    description: "The locations of an ISP offer's addresses; empty when none is known",
    examples: [[{ region: "Bavaria", city: "Munich" }]]
  }),
  options: Schema.Array(OptionView)
}).annotate({ identifier: "CatalogOffer" })

/** The wire form of the catalog: offers by kind (docs/contract.md, "Catalog"). */
export const CatalogView = Schema.Struct({
  kinds: Schema.Array(
    Schema.Struct({
      kind: Offer.fields.kind.annotate({ examples: ["residential"] }),
      offers: Schema.Array(OfferView)
    })
  ),
  total: Schema.Int.annotate({ description: "The number of offers across all kinds", examples: [1] })
}).annotate({ identifier: "Catalog" })
export type CatalogView = typeof CatalogView.Type

/** The lowest price of the offer's options in micro-dollars; every offer has an option priced in USD. */
const priceFrom = ({ options }: Offer): bigint =>
  options.reduce<bigint | null>(
    (lowest, { prices: { USD } }) => (USD === null || (lowest !== null && lowest <= USD) ? lowest : USD),
    null
  ) ?? 0n

const priced = (currency: Currency, prices: Offer["price_per_gb"]) => {
  const amount = prices[currency]
  return amount === null ? null : Money.toNumber(currency, amount)
}

const offerView =
  (currency: Currency) =>
  (offer: Offer): typeof OfferView.Type => ({
    id: offer.id,
    kind: offer.kind,
    mode: offer.mode,
    ip_version: offer.ip_version,
    name: offer.name,
    ...(offer.description === null ? {} : { description: offer.description }),
    country_code: offer.country_code,
    ...(offer.isp === null ? {} : { isp: offer.isp }),
    is_available: offer.is_available,
    price_from_usd: Money.toNumber("USD", priceFrom(offer)),
    currency,
    price_per_gb: priced(currency, offer.price_per_gb),
    protocols: offer.protocols,
    locations: offer.locations,
    // Each field by its name: an option also has the operator's cost.
    options: offer.options.map((option, tarification_index) => ({
      tarification_index,
      period_days: option.period_days,
      period_name: option.period_name,
      period_months: option.period_months,
      bandwidth_gb: option.bandwidth_gb,
      price: priced(currency, option.prices)
    }))
  })

const kinds = Offer.fields.kind.literals

/** Sorts offers as the catalog lists them: by kind, then price, then id. */
export const sorted = (offers: ReadonlyArray<Offer>): ReadonlyArray<Offer> =>
  offers
    .map((offer) => ({ offer, kind: kinds.indexOf(offer.kind), price: priceFrom(offer) }))
    .toSorted((a, b) => a.kind - b.kind || Number(a.price - b.price) || a.offer.id - b.offer.id)
    .map(({ offer }) => offer)

/** Expects offers in the catalog's order. Leaves out kinds without offers. */
export const catalogView = (offers: ReadonlyArray<Offer>, currency: Currency): CatalogView => ({
  kinds: kinds
    .map((kind) => ({ kind, offers: offers.filter((offer) => offer.kind === kind).map(offerView(currency)) }))
    .filter(({ offers }) => offers.length > 0),
  total: offers.length
})
