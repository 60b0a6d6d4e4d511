import type { OfferOption } from "../../catalog/Offer.ts"
import { type Content, counted, type Phrase, text } from "../../pages/Html.ts"

type Period = Pick<OfferOption, "period_days" | "period_months">

/** The names of options that only count a unit, such as "1 month" or "30 Days". */
const countedUnit = /^\d+ (day|week|month|year)s?$/i

export const daysText = (days: number): Phrase => counted("period.days", days)

/** A length in months, or in days when it is shorter than a month. */
export const lengthText = ({ period_days, period_months }: Period): Phrase =>
  period_months > 0 ? counted("period.months", period_months) : daysText(period_days)

/** True for a name such as "30 days" or "1 week", false for one such as "1 month"; undefined for a made-up name. */
const countsDays = (period_name: string): boolean | undefined => {
  const unit = countedUnit.exec(period_name)?.[1]?.toLowerCase()
  return unit === undefined ? undefined : unit === "day" || unit === "week"
}

/** The period of an option in the language of the reader. A name that the operator made up stays as it is. */
export const periodText = ({ period_name, ...period }: Period & Pick<OfferOption, "period_name">): Content => {
  const inDays = countsDays(period_name)
  if (inDays === undefined) return period_name
  return inDays ? daysText(period.period_days) : lengthText(period)
}

/** The period of an option with its days: a month of an order has 30 days. */
export const periodWithDays = (option: Period & Pick<OfferOption, "period_name">): Content => {
  const days = daysText(option.period_days)
  return countsDays(option.period_name) === true ? days : text("period.with_days", { period: periodText(option), days })
}
