import { Schema } from "effect"
import { Currency } from "../platform/Money.ts"
import * as Money from "../platform/Money.ts"
import { Offer, OfferId, OfferOption } from "./Offer.ts"

const Price = Schema.NullOr(Schema.Finite)

const AnsweredOption = Schema.Struct({
  tarification_index: Schema.Int.annotate({
    description: "Zero-based place in the offer's options",
    examples: [0]
  }),
  period_days: OfferOption.fields.period_days.annotate({ examples: [30] }),
  period_name: Schema.String.annotate({ examples: ["1 month"] }),
  period_months: OfferOption.fields.period_months.annotate({
    description: "Calendar months; 0 for a period shorter than a month",
    examples: [1]
  }),
  bandwidth_gb: Schema.NullOr(Schema.Finite).annotate({
    description: "Included traffic in GB (10^9 bytes); null: unlimited",
    examples: [50]
  }),
  price: Price.annotate({
    description: "In the offer's currency; null when not sold in it",
    examples: [3.5]
  })
}).annotate({ identifier: "CatalogOption" })

/** An offer on the wire. */
export const CatalogOffer = Schema.Struct({
  id: OfferId.annotate({ description: "The `offer_id` to order", examples: [OfferId.make(17)] }),
  kind: Offer.fields.kind.annotate({ examples: ["residential"] }),
  mode: Schema.String.annotate({ description: "As the provider defines it", examples: ["static"] }),
  ip_version: Offer.fields.ip_version.annotate({ examples: ["IPv4"] }),
  name: Schema.String.annotate({ examples: ["Residential ISP, Germany"] }),
  description: Schema.optionalKey(
    Schema.String.annotate({ examples: ["Static addresses of consumer internet providers"] })
  ),
  country_code: Offer.fields.country_code.annotate({ description: "ISO 3166-1 alpha-2", examples: ["DE"] }),
  isp: Schema.optionalKey(
    Schema.String.annotate({
      description: "The internet provider of its addresses; absent when none is named",
      examples: ["Example Mobile"]
    })
  ),
  is_available: Schema.Boolean.annotate({ description: "Whether it can be bought at the moment", examples: [true] }),
  price_from_usd: Schema.Finite.annotate({ description: "The lowest price of its options, in USD", examples: [3.5] }),
  currency: Currency.annotate({ description: "The currency of the prices", examples: ["USD"] }),
  price_per_gb: Price.annotate({
    description: "Price of one more GB of traffic; null when none can be added in this currency",
    examples: [0.6]
  }),
  protocols: Offer.fields.protocols.annotate({
    description: "The protocols an order may ask for",
    examples: [["HTTP", "SOCKS5"]]
  }),
  locations: Schema.Array(Schema.Struct({ region: Schema.String, city: Schema.String })).annotate({
    description: "Where an ISP offer has addresses; empty when none is known",
    examples: [[{ region: "Bavaria", city: "Munich" }]]
  }),
  options: Schema.Array(AnsweredOption)
}).annotate({ identifier: "CatalogOffer" })

/** The catalog on the wire (specification section 2.1). */
export const CatalogAnswer = Schema.Struct({
  kinds: Schema.Array(
    Schema.Struct({
      kind: Offer.fields.kind.annotate({ examples: ["residential"] }),
      offers: Schema.Array(CatalogOffer)
    })
  ),
  total: Schema.Int.annotate({ description: "The number of offers across all kinds", examples: [1] })
}).annotate({ identifier: "Catalog" })
export type CatalogAnswer = typeof CatalogAnswer.Type

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

const answered =
  (currency: Currency) =>
  (offer: Offer): typeof CatalogOffer.Type => ({
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
    options: offer.options.map(({ prices, ...option }, tarification_index) => ({
      tarification_index,
      ...option,
      price: priced(currency, prices)
    }))
  })

const kinds = Offer.fields.kind.literals

/** The order of the catalog: by kind, then price, then id. */
export const sorted = (offers: ReadonlyArray<Offer>): ReadonlyArray<Offer> =>
  offers
    .map((offer) => ({ offer, kind: kinds.indexOf(offer.kind), price: priceFrom(offer) }))
    .toSorted((a, b) => a.kind - b.kind || Number(a.price - b.price) || a.offer.id - b.offer.id)
    .map(({ offer }) => offer)

/** Answers offers that are in the catalog's order; a kind without offers is left out. */
export const render = (offers: ReadonlyArray<Offer>, currency: Currency): CatalogAnswer => ({
  kinds: kinds
    .map((kind) => ({ kind, offers: offers.filter((offer) => offer.kind === kind).map(answered(currency)) }))
    .filter(({ offers }) => offers.length > 0),
  total: offers.length
})
