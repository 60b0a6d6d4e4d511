import { DateTime, Duration, Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { Currency } from "../../platform/Money.ts"
import type { AgreedOrder } from "./AgreeOrder.ts"
import { unitPrice } from "./OrderTerms.ts"

/** Time that a quote holds. */
const lifetime = Duration.minutes(10)
/**
 * Tolerance for clocks that differ: `shop apply` dates a price by the clock of the machine where an operator runs it. A
 * longer tolerance costs orders a query, and no quote holds longer.
 */
const slack = Duration.hours(1)
const recently = Duration.toMillis(Duration.sum(lifetime, slack))

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

/** Identifies an option for an account, with the properties that must not have changed since its quote. */
export const optionOf = (user_id: UserId, { offer, terms }: AgreedOrder) => ({
  user_id,
  offer_id: offer.id,
  tarification_index: terms.tarification_index,
  currency: terms.currency,
  period_days: terms.option.period_days,
  bandwidth_gb: terms.option.bandwidth_gb
})
export type QuotedOption = ReturnType<typeof optionOf>

/** The quote of the agreed option at the present prices of its offer. */
export const quotedPriceOf = (user_id: UserId, agreed: AgreedOrder, now: DateTime.Utc): QuotedPrice => {
  const { offer, terms } = agreed
  const { currency, extra_gb } = terms
  const { price_per_gb } = offer
  return {
    ...optionOf(user_id, agreed),
    price: terms.unit_price - extra_gb * (price_per_gb[currency] ?? 0n),
    price_usd: terms.unit_price_usd - extra_gb * (price_per_gb.USD ?? 0n),
    price_per_gb: price_per_gb[currency],
    price_per_gb_usd: price_per_gb.USD,
    expires_at: DateTime.addDuration(now, lifetime)
  }
}

/**
 * False when no quote that still holds can differ from the present price; then an order saves the query. A first price has
 * the time of its offer.
 */
export const mayBeCheaper = ({ created_at, priced_at }: Offer, now: DateTime.Utc): boolean =>
  !DateTime.Equivalence(priced_at, created_at) && now.epochMilliseconds - priced_at.epochMilliseconds < recently

/** The order at its quoted price if that is lower, else unchanged. */
export const atQuotedPrice = (agreed: AgreedOrder, quoted: QuotedPrice): AgreedOrder => {
  const { offer, terms } = agreed
  const unit_price = unitPrice(quoted.price, quoted.price_per_gb, terms.extra_gb)
  const unit_price_usd = unitPrice(quoted.price_usd, quoted.price_per_gb_usd, terms.extra_gb)
  if (unit_price === null || unit_price_usd === null || unit_price >= terms.unit_price) return agreed
  return { offer, terms: { ...terms, unit_price, unit_price_usd } }
}
