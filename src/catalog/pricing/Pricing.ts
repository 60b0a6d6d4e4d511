import type { ProviderOffer } from "../../provider/ProxyProvider.ts"
import { type PriceRule, type Subject, type Terms, termsFor } from "./PriceRule.ts"

/** A price before the rules, and the cost of the operator. */
interface Base {
  readonly usd: bigint
  readonly star: bigint | null
}

const cent = 10_000n
const hundredthsOfPercent = 10_000n

const ceilDiv = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit
const max = (...amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((a, b) => (a > b ? a : b))

const usdOf = ({ usd }: Base, { floor = 0n, markup = 0, price, round = 1n }: Terms): bigint => {
  const wanted = price ?? ceilDiv(usd * (hundredthsOfPercent + BigInt(markup)), hundredthsOfPercent)
  return ceilDiv(max(wanted, floor, cent), round) * round
}

/** Rounds up, so that a price in stars is never below the price in dollars. */
const starOf = (base: Base, usd: bigint, { star_rate }: Terms): bigint | null => {
  if (star_rate !== undefined) return star_rate === 0n ? null : ceilDiv(usd, star_rate)
  return base.star === null ? null : ceilDiv(base.star * usd, base.usd)
}

/** Prices by the rules: first the price in dollars, from which the price in stars follows. */
export const priced = (base: Base, terms: Terms) => {
  const USD = usdOf(base, terms)
  return { USD, STAR: starOf(base, USD, terms) }
}

const subjectOf = (vendor: string, { country_code, external_id, kind }: ProviderOffer): Subject => ({
  vendor,
  kind,
  country: country_code,
  article: external_id
})

/** A fixed price and a floor are those of a period, not of a GB. */
const perGb = ({ floor: _floor, price: _price, ...terms }: Terms): Terms => terms

interface PricedOffer {
  readonly offer: ProviderOffer
  readonly isHidden: boolean
}

/** Prices an offer of a vendor, whose prices are its costs, or of the gateway, whose prices are those of the article. */
export const pricedOffer = (vendor: string, offer: ProviderOffer, rules: ReadonlyArray<PriceRule>): PricedOffer => {
  const subject = subjectOf(vendor, offer)
  const terms = termsFor(rules, subject)
  const { price_per_gb } = offer
  const options = offer.options.map(({ prices, ...option }) => {
    if (prices.USD === null) return { ...option, prices }
    const own = termsFor(rules, { ...subject, days: option.period_days })
    return { ...option, prices: priced({ usd: prices.USD, star: prices.STAR }, own) }
  })
  const traffic =
    price_per_gb.USD === null ? price_per_gb : priced({ usd: price_per_gb.USD, star: price_per_gb.STAR }, perGb(terms))
  return {
    offer: { ...offer, options, price_per_gb: { ...price_per_gb, ...traffic } },
    isHidden: terms.hidden === true
  }
}
