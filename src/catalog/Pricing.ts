import type { ProviderOffer } from "../provider/ProxyProvider.ts"
import { largestAmount, type OfferSource } from "./Offer.ts"
import { type PriceRule, type Subject, type Terms, rulesFor, termsFor } from "./PriceRule.ts"

/** A price before the rules: in micro-dollars, and in whole stars or null when it is not sold for stars. */
interface Base {
  readonly usd: bigint
  readonly star: bigint | null
}

const cent = 10_000n
const hundredthsOfPercent = 10_000n

const ceilDiv = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit
const max = (...amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => (a > b ? a : b))

/** A rule that prices above every amount must not take the offer from its running orders. */
const sellable = (amount: bigint): bigint => (amount < largestAmount ? amount : largestAmount)

/** A price with a markup is rounded up to a whole cent, unless a rule says otherwise. A fixed price has no markup. */
const usdOf = ({ usd }: Base, { floor = 0n, markup, price, round }: Terms): bigint => {
  const wanted = price ?? ceilDiv(usd * (hundredthsOfPercent + BigInt(markup ?? 0)), hundredthsOfPercent)
  const step = round ?? (price === undefined && markup !== undefined ? cent : 1n)
  return sellable(ceilDiv(max(wanted, floor, cent), step) * step)
}

/** Rounds up, so that a price in stars is never below the price in dollars. */
const starOf = (base: Base, usd: bigint, { star_rate }: Terms): bigint | null => {
  if (star_rate !== undefined) return star_rate === 0n ? null : sellable(ceilDiv(usd, star_rate))
  return base.star === null ? null : sellable(ceilDiv(base.star * usd, base.usd))
}

/** Prices by the rules: first the price in dollars, from which the price in stars follows. */
export const priced = (base: Base, terms: Terms) => {
  const USD = usdOf(base, terms)
  return { USD, STAR: starOf(base, USD, terms) }
}

type Sold = Pick<ProviderOffer, "country_code" | "description" | "external_id" | "kind" | "name">

const subjectOf = (vendor: string, { country_code, external_id, kind }: Sold): Subject => ({
  vendor,
  kind,
  country: country_code,
  article: external_id
})

/** A fixed price and a floor are those of a period, not of a GB. */
const perGb = ({ floor: _floor, price: _price, ...terms }: Terms): Terms => terms

/**
 * Prices and names an offer by the rules. The prices of a vendor's `source` are its costs; those of the gateway, the
 * article's.
 */
export const pricedOffer = (
  vendor: string,
  offer: Sold,
  { description = offer.description, markup, name = offer.name, options, price_per_gb }: OfferSource,
  rules: ReadonlyArray<PriceRule>
) => {
  const subject = subjectOf(vendor, offer)
  const own = rulesFor(rules, subject)
  const termsOf = (subject: Subject): Terms => ({
    ...(markup !== undefined && { markup }),
    ...termsFor(own, subject)
  })
  const terms = termsOf(subject)
  const traffic =
    price_per_gb.USD === null ? price_per_gb : priced({ usd: price_per_gb.USD, star: price_per_gb.STAR }, perGb(terms))
  return {
    source: { name, description, options, price_per_gb, ...(markup !== undefined && { markup }) },
    name: terms.name ?? name,
    description: terms.description ?? description,
    options: options.map(({ prices, ...option }) => {
      if (prices.USD === null) return { ...option, prices }
      const terms = termsOf({ ...subject, days: option.period_days })
      return { ...option, prices: priced({ usd: prices.USD, star: prices.STAR }, terms) }
    }),
    price_per_gb: { ...price_per_gb, ...traffic },
    isHidden: terms.hidden === true
  }
}

/** Prices and names an offer again by the rules, from its source. */
export const repriced = <A extends Sold>(
  vendor: string,
  offer: A,
  source: OfferSource,
  rules: ReadonlyArray<PriceRule>
) => {
  const { isHidden, ...prices } = pricedOffer(vendor, offer, source, rules)
  return { ...offer, ...prices, listed: !isHidden }
}
