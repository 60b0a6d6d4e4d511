import { DateTime, Duration, Effect } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"
import type { AgreedChange } from "./AgreeProxyChange.ts"
import { type Announcement, AutoRenewalRepo, type LastTerm } from "./AutoRenewalRepo.ts"
import { type ProxyChangeTerms, shareOf } from "./ProxyChangeTerms.ts"

/** Time that a customer has to decline; half of the proxy's remaining time if that is less. */
const notice = Duration.days(1)

const announcementOf = (order: LiveOrder): Announcement | undefined => {
  const { announced_currency: currency, announced_total: total, renews_from } = order
  return total === null || currency === null || renews_from === null ? undefined : { total, currency, renews_from }
}

/** The price of the last term for the length of `terms`: by months, or by days if one of them is shorter than a month. */
const priceBefore = (last: LastTerm, terms: ProxyChangeTerms) => {
  const byMonths = terms.period_months > 0 && last.period_months > 0
  const share = byMonths
    ? { times: terms.period_months, per: last.period_months }
    : { times: terms.period_days, per: last.period_days }
  return { currency: last.currency, total: shareOf(last.total, share), total_usd: shareOf(last.total_usd, share) }
}

/** Compares in the currency of both prices, else in dollars. */
const isAbove = (terms: ProxyChangeTerms, before: ReturnType<typeof priceBefore>, hundredths: number): boolean => {
  const [price, old] =
    terms.currency === before.currency ? [terms.total, before.total] : [terms.total_usd, before.total_usd]
  return price * 10_000n > old * BigInt(10_000 + hundredths)
}

/**
 * Announces a renewal that costs more than the operator's bound above the last term, or more than was announced, in the
 * caller's transaction. True while the renewal must not be charged.
 */
export const make = Effect.gen(function* () {
  const notifications = yield* Notifications
  const repo = yield* AutoRenewalRepo

  return Effect.fnUntraced(function* ({ order, terms }: AgreedChange, now: DateTime.Utc) {
    const announced = announcementOf(order)
    if (announced !== undefined && DateTime.isLessThan(now, announced.renews_from)) {
      yield* repo.announce(order.id, announced)
      return true
    }
    if (announced?.currency === terms.currency && terms.total <= announced.total) return false
    const last = yield* repo.lastTerm(order.id)
    const before = priceBefore(last, terms)
    if (announced === undefined && !isAbove(terms, before, last.announce_above)) return false
    const wait = Duration.min(notice, Duration.times(DateTime.distance(now, order.expires_at), 0.5))
    const { currency, total } = terms
    const announcement = { total, currency, renews_from: DateTime.addDuration(now, wait) }
    yield* repo.announce(order.id, announcement)
    yield* notifications.add([ProxyNotices.renewalPrice(order, before, announcement)])
    return true
  })
})
