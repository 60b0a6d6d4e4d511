import type { OfferOption } from "../../catalog/Offer.ts"
import { type Content, counted, type Phrase, text } from "../../pages/Html.ts"

type Period = Pick<OfferOption, "period_days" | "period_months">

/** The names of options that only count a unit, such as "1 month" or "30 Days". */
const countedUnit = /^\d+ (day|week|month|year)s?$/i

export const daysText = (days: number): Phrase => counted("period.days", days)

/** A length in months, or in days when it is shorter than a month. */
export const lengthText = ({ period_days, period_months }: Period): Phrase =>
  period_months > 0 ? counted("period.months", period_months) : daysText(period_days)

/** The period of an option in the language of the reader. A name that the operator made up stays as it is. */
export const periodText = ({ period_name, ...period }: Period & Pick<OfferOption, "period_name">): Content => {
  const unit = countedUnit.exec(period_name)?.[1]?.toLowerCase()
  if (unit === undefined) return period_name
  return unit === "month" || unit === "year" ? lengthText(period) : daysText(period.period_days)
}

/** The period of an option with its days: a month of an order has 30 days. */
export const periodWithDays = (option: Period & Pick<OfferOption, "period_name">): Content => {
  const days = daysText(option.period_days)
  const isDays = option.period_months === 0 && countedUnit.test(option.period_name)
  return isDays ? days : text("period.with_days", { period: periodText(option), days })
}
