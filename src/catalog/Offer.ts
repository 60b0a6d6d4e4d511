import { Schema } from "effect"
import { Model } from "effect/schema"
import { Text } from "../platform/fields/Text.ts"

export const OfferId = Schema.Int.pipe(Schema.brand("OfferId"))
export type OfferId = typeof OfferId.Type

/** Limit of the offers of a provider in the catalog. */
export const mostOffers = 10_000

/** The largest price or cost, in micro-dollars or whole stars. */
export const largestAmount = 999_999_999_999_999n

const Amount = Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: largestAmount }))

/** In micro-dollars and whole stars; null when not sold in that currency. */
const prices = { USD: Schema.NullOr(Amount), STAR: Schema.NullOr(Amount) }

/** The cost of the operator in micro-dollars; absent when it is unknown. Customers never see it. */
const cost = {
  cost_usd: Schema.optionalKey(
    Schema.BigIntFromString.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: largestAmount }))
  )
}

/** One way to buy an offer. Its position in the list is its `tarification_index`. */
export const OfferOption = Schema.Struct({
  period_days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3660 })),
  period_name: Text(1, 100),
  /** Calendar months; 0 for a period shorter than a month. */
  period_months: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 })),
  /** Included traffic in GB (10^9 bytes); null is unlimited. */
  bandwidth_gb: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 1_000_000 }))),
  prices: Schema.Struct(prices),
  ...cost
})
export type OfferOption = typeof OfferOption.Type

export const ProxyKind = Schema.Literals(["datacenter", "residential", "mobile"])
export const IpVersion = Schema.Literals(["IPv4", "IPv6"])
export const ProxyProtocol = Schema.Literals(["HTTP", "HTTPS", "SOCKS5"])
/** The protocols that a customer can switch a proxy to. */
export const SwitchableProtocol = ProxyProtocol.pick(["HTTP", "SOCKS5"])

const terms = {
  external_id: Text(1, 200),
  kind: ProxyKind,
  mode: Text(1, 50),
  ip_version: IpVersion,
  name: Text(1, 200),
  description: Schema.NullOr(Text(0, 2000)),
  country_code: Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/u)),
  /** The internet service provider of its addresses; null when the vendor names none. */
  isp: Schema.NullOr(Text(1, 100)),
  is_available: Schema.Boolean,
  locations: Schema.Array(Schema.Struct({ region: Text(0, 100), city: Text(0, 100) })).check(Schema.isMaxLength(2000)),
  protocols: Schema.Array(ProxyProtocol).check(Schema.isBetweenLength(1, 3)),
  price_per_gb: Schema.Struct({ ...prices, ...cost }).check(
    Schema.makeFilter(({ STAR, USD }) => STAR === null || USD !== null || "traffic is priced in STAR but not in USD")
  ),
  options: Schema.Array(OfferOption).check(
    Schema.isBetweenLength(1, 100),
    Schema.makeFilter(
      (options) => options.every(({ prices }) => prices.USD !== null) || "an option is not priced in USD"
    )
  )
}

/** The fields of an offer that its provider sets. */
export const OfferTerms = Schema.Struct(terms)
export type OfferTerms = typeof OfferTerms.Type

/**
 * The provider's terms before the price rules. `markup`: in hundredths of a percent, where no rule sets one. Without `name`
 * and `description`, which a source of an older version lacks, the offer itself has the provider's words.
 */
export const OfferSource = Schema.Struct({
  name: Schema.optionalKey(terms.name),
  description: Schema.optionalKey(terms.description),
  options: terms.options,
  price_per_gb: terms.price_per_gb,
  markup: Schema.optionalKey(Schema.Int)
})
export type OfferSource = typeof OfferSource.Type

const sale = {
  /** False once it is no longer on sale. */
  listed: Schema.Boolean,
  /** True while its running orders can be extended. */
  renewable: Schema.Boolean
}

/** The fields of an offer that a sync writes. */
export const SyncedOffer = Schema.Struct({ ...terms, ...sale, source: OfferSource })
export type SyncedOffer = typeof SyncedOffer.Type

/** An offer that customers can order. It belongs to one provider, which knows it by `external_id`. */
export class Offer extends Model.Class<Offer>("Offer")({
  id: Model.GeneratedByDb(OfferId),
  provider: Schema.String,
  ...terms,
  ...sale,
  /** The time of the last change of a price. */
  priced_at: Model.DateTimeInsertFromDate,
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
