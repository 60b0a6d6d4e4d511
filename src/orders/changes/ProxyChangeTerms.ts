import { DateTime, Duration, Effect } from "effect"
import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import type { Currency } from "../../platform/Money.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { NotSold } from "./ProxyChangeErrors.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import { isMobileRotating } from "../Order.ts"
import type { ProxyChange } from "./ProxyChange.ts"

/** The change that a customer asks for. */
export type Wanted =
  | { readonly kind: "append"; readonly months: number }
  | { readonly kind: "restart"; readonly tarification_index: number }
  | { readonly kind: "traffic"; readonly added_gb: number }

/** The price of a change, and the proxy after it. */
export interface ProxyChangeTerms extends Pick<
  ProxyChange,
  | "kind"
  | "currency"
  | "total"
  | "total_usd"
  | "cost_usd"
  | "period_days"
  | "period_months"
  | "tarification_index"
  | "added_gb"
  | "expires_at"
  | "bandwidth_gb"
> {
  readonly description: string
}

interface Prices {
  readonly USD: bigint | null
  readonly STAR: bigint | null
}

/** A share of an option: `times / per` of it. */
interface Share {
  readonly times: number
  readonly per: number
}

interface Portion extends Share {
  readonly option: OfferOption
}

/** Rounds half a unit up. */
export const shareOf = (amount: bigint, { per, times }: Share): bigint =>
  (2n * amount * BigInt(times) + BigInt(per)) / (2n * BigInt(per))

/** The smallest price is one unit. */
const portionOf = (price: bigint, share: Share): bigint => {
  const rounded = shareOf(price, share)
  return rounded > 0n ? rounded : 1n
}

/** Prices in the currency of the order where the offer is sold in it, else in dollars. */
const priced = ({ currency }: Pick<LiveOrder, "currency">, prices: Prices, cost: bigint | undefined, share: Share) => {
  if (prices.USD === null) return undefined
  const [paidIn, price]: [Currency, bigint] =
    currency === "STAR" && prices.STAR !== null ? ["STAR", prices.STAR] : ["USD", prices.USD]
  return {
    currency: paidIn,
    total: portionOf(price, share),
    total_usd: portionOf(prices.USD, share),
    cost_usd: cost === undefined ? null : shareOf(cost, share)
  }
}

const perMonth = ({ period_months, prices }: OfferOption) => Number(prices.USD) / period_months

/** Uses the option of exactly `months`; else repeats the one-month option; else prorates the most expensive one. */
const monthly = ({ options }: Offer, months: number): Portion | undefined => {
  const exact = options.find(({ period_months }) => period_months === months)
  if (exact !== undefined) return { option: exact, times: 1, per: 1 }
  const oneMonth = options.find(({ period_months }) => period_months === 1)
  if (oneMonth !== undefined) return { option: oneMonth, times: months, per: 1 }
  const [dearest] = options
    .filter(({ period_months }) => period_months > 1)
    .toSorted((a, b) => perMonth(b) - perMonth(a))
  return dearest === undefined ? undefined : { option: dearest, times: months, per: dearest.period_months }
}

const megabytes = (gb: number) => Math.round(gb * 1000) / 1000

/**
 * Adds the traffic that the option includes. A limit that the customer set on unlimited traffic grows with the time;
 * unlimited traffic stays unlimited.
 */
const limitAfter = (order: LiveOrder, { option, per, times }: Portion, expires_at: DateTime.Utc): number | null => {
  if (order.bandwidth_gb === null) return null
  if (option.bandwidth_gb !== null) return megabytes(order.bandwidth_gb + (option.bandwidth_gb * times) / per)
  const lengthUntil = (end: DateTime.Utc) => Duration.toMillis(DateTime.distance(order.cycle_started_at, end))
  return megabytes((order.bandwidth_gb * lengthUntil(expires_at)) / lengthUntil(order.expires_at))
}

/** Adds calendar months to the end of the running cycle. */
const append = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder, months: number) {
  const portion = monthly(offer, months)
  const price = portion && priced(order, portion.option.prices, portion.option.cost_usd, portion)
  if (portion === undefined || price === undefined)
    return yield* new NotSold({ detail: "The proxy's offer is not sold by the month" })
  const expires_at = DateTime.add(order.expires_at, { months })
  const terms: ProxyChangeTerms = {
    ...price,
    kind: "append",
    period_days: Math.round((portion.option.period_days * portion.times) / portion.per),
    period_months: months,
    tarification_index: null,
    added_gb: null,
    expires_at,
    bandwidth_gb: limitAfter(order, portion, expires_at),
    description: `${offer.name}, ${months} more ${months === 1 ? "month" : "months"}`
  }
  return terms
})

/** Begins a cycle of the chosen tariff immediately; the rest of the running cycle is lost. */
const restart = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder, index: number, now: DateTime.Utc) {
  const option = offer.options[index]
  const price = option && priced(order, option.prices, option.cost_usd, { times: 1, per: 1 })
  if (option === undefined || price === undefined)
    return yield* RequestInvalid.at(["body", "tarification_index"], `Must be from 0 to ${offer.options.length - 1}`)
  const terms: ProxyChangeTerms = {
    ...price,
    kind: "restart",
    period_days: option.period_days,
    period_months: option.period_months,
    tarification_index: index,
    added_gb: null,
    expires_at: DateTime.add(now, { days: option.period_days }),
    bandwidth_gb: option.bandwidth_gb,
    description: `${offer.name}, another ${option.period_name}`
  }
  return terms
})

/** Adds traffic to the running cycle. */
const traffic = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder, added_gb: number) {
  if (order.bandwidth_gb === null) return yield* new NotSold({ detail: "The proxy's traffic is already unlimited" })
  const price = priced(order, offer.price_per_gb, offer.price_per_gb.cost_usd, { times: added_gb, per: 1 })
  if (price === undefined) return yield* new NotSold({ detail: "The proxy's offer sells no extra traffic" })
  const terms: ProxyChangeTerms = {
    ...price,
    kind: "traffic",
    period_days: 0,
    period_months: 0,
    tarification_index: null,
    added_gb,
    expires_at: order.expires_at,
    bandwidth_gb: megabytes(order.bandwidth_gb + added_gb),
    description: `${offer.name}, ${added_gb} GB more traffic`
  }
  return terms
})

/** Terms of a change, by today's offer. */
export const termsOf = (
  offer: Offer,
  order: LiveOrder,
  wanted: Wanted,
  now: DateTime.Utc
): Effect.Effect<ProxyChangeTerms, NotSold | RequestInvalid> => {
  if (wanted.kind === "append") return append(offer, order, wanted.months)
  if (wanted.kind === "restart") return restart(offer, order, wanted.tarification_index, now)
  return traffic(offer, order, wanted.added_gb)
}

/** The tariff of a mobile rotating order. */
type Tariff = Pick<LiveOrder, "bandwidth_gb" | "period_days" | "tarification_index">

/**
 * Finds the tariff of a mobile rotating order in today's offer. Among the tariffs of the same period, it is the one
 * with the most traffic that fits the order's limit without the bought `addedGb`. Undefined when the offer has none.
 */
export const sameTariff = (
  { options }: Offer,
  order: Tariff,
  addedGb: number
): Extract<Wanted, { kind: "restart" }> | undefined => {
  const limit = order.bandwidth_gb === null ? null : megabytes(order.bandwidth_gb - addedGb)
  const isWithin = ({ bandwidth_gb }: OfferOption) =>
    limit === null || bandwidth_gb === null ? bandwidth_gb === limit : bandwidth_gb <= limit
  const [most] = options
    .map((option, index) => ({ option, index, moved: index === order.tarification_index ? 0 : 1 }))
    .filter(({ option }) => option.period_days === order.period_days && isWithin(option))
    .toSorted((a, b) => (b.option.bandwidth_gb ?? 0) - (a.option.bandwidth_gb ?? 0) || a.moved - b.moved)
  return most && { kind: "restart", tarification_index: most.index }
}

const tariffPortion = (offer: Offer, order: Tariff): Portion | undefined => {
  const option = offer.options[sameTariff(offer, order, 0)?.tarification_index ?? -1]
  return option && { option, times: 1, per: 1 }
}

/** The price of one renewal in units of its currency, and its length. */
export interface RenewalPrice extends Pick<ProxyChangeTerms, "currency" | "total" | "period_days" | "period_months"> {}

/** The first renewal of an order that is not placed yet, by today's offer; undefined when the offer cannot renew it. */
export const firstRenewal = (
  offer: Offer,
  order: Tariff & Pick<LiveOrder, "currency" | "mode" | "proxy_type">
): RenewalPrice | undefined => {
  const portion = isMobileRotating(order) ? tariffPortion(offer, order) : monthly(offer, 1)
  const price = portion && priced(order, portion.option.prices, undefined, portion)
  if (portion === undefined || price === undefined) return undefined
  const { period_days, period_months } = portion.option
  return isMobileRotating(order)
    ? { ...price, period_days, period_months }
    : { ...price, period_days: Math.round((period_days * portion.times) / portion.per), period_months: 1 }
}
