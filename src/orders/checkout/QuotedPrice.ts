import { DateTime, Duration, Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import { Currency } from "../../platform/Money.ts"
import { quoteLifetime } from "../QuoteLifetime.ts"
import type { AgreedOrder } from "./AgreeOrder.ts"
import { isSoldByTariff, unitPrice } from "./OrderTerms.ts"

/**
 * Tolerance for clocks that differ: `shop apply` dates a price by the clock of the machine where an operator runs it. A
 * longer tolerance costs orders a query, and no quote holds longer.
 */
const slack = Duration.hours(1)
const recently = Duration.toMillis(Duration.sum(quoteLifetime, slack))

/**
 * The prices of an option that an account was shown: in units of `currency`, and in micro-dollars. `price_per_gb` is null
 * when the offer sells no extra traffic.
 */
export const QuotedPrice = Schema.Struct({
  user_id: UserId,
  offer_id: Schema.Int,
  tarification_index: Schema.Int,
  currency: Currency,
  period_days: Schema.Int,
  bandwidth_gb: Schema.NullOr(Schema.Finite),
  price: Schema.BigInt,
  price_usd: Schema.BigInt,
  price_per_gb: Schema.NullOr(Schema.BigInt),
  price_per_gb_usd: Schema.NullOr(Schema.BigInt),
  expires_at: Schema.DateTimeUtcFromDate
})
export type QuotedPrice = typeof QuotedPrice.Type

/** The quote of the agreed option at the present prices of its offer. */
export const quotedPriceOf = (user_id: UserId, { offer, terms }: AgreedOrder, now: DateTime.Utc): QuotedPrice => ({
  user_id,
  offer_id: offer.id,
  tarification_index: terms.tarification_index,
  currency: terms.currency,
  period_days: terms.option.period_days,
  bandwidth_gb: terms.option.bandwidth_gb,
  price: terms.option_price,
  price_usd: terms.option_price_usd,
  price_per_gb: offer.price_per_gb[terms.currency],
  price_per_gb_usd: offer.price_per_gb.USD,
  expires_at: DateTime.addDuration(now, quoteLifetime)
})

/**
 * False when no quote that still holds can differ from the present offer; then an order saves the query. A first price has
 * the time of its offer.
 */
export const mayDiffer = ({ created_at, priced_at }: Offer, now: DateTime.Utc): boolean =>
  !DateTime.Equivalence(priced_at, created_at) && now.epochMilliseconds - priced_at.epochMilliseconds < recently

/** Tells the quotes of an option. Only a tariff is ordered by its position. */
const isQuoteOf =
  (offer: Offer) =>
  ({ bandwidth_gb, period_days }: OfferOption, index: number) =>
  (quoted: QuotedPrice): boolean =>
    quoted.period_days === period_days &&
    quoted.bandwidth_gb === bandwidth_gb &&
    (!isSoldByTariff(offer) || quoted.tarification_index === index)

/**
 * The order at its quoted price if that is lower, else unchanged. Undefined when the offer no longer has an option that the
 * account was quoted, and the ordered option was not quoted: the customer may have been shown other terms.
 */
export const atQuotedPrice = (agreed: AgreedOrder, quotes: ReadonlyArray<QuotedPrice>): AgreedOrder | undefined => {
  const { offer, terms } = agreed
  const quoteOf = isQuoteOf(offer)
  const quoted = quotes.find(quoteOf(terms.option, terms.tarification_index))
  if (quoted === undefined) {
    const isKept = (quoted: QuotedPrice) => offer.options.some((option, index) => quoteOf(option, index)(quoted))
    return quotes.every(isKept) ? agreed : undefined
  }
  const { price: option_price, price_usd: option_price_usd } = quoted
  const unit_price = unitPrice(option_price, quoted.price_per_gb, terms.extra_gb)
  const unit_price_usd = unitPrice(option_price_usd, quoted.price_per_gb_usd, terms.extra_gb)
  if (unit_price === null || unit_price_usd === null || unit_price >= terms.unit_price) return agreed
  return { offer, terms: { ...terms, unit_price, unit_price_usd, option_price, option_price_usd } }
}
