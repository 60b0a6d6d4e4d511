import type { Order } from "./Account.ts"

const hour = 3_600_000
const day = 24 * hour

/** Cents and days of each offer, at 100 percent. */
export const sold = { datacenter: [150, 30], mobile: [200, 1], residential: [350, 30] } as const
const threeMonths = 400
const quoteHolds = hour / 6
/** A renewal above this percentage of the last term is announced. */
const announceAbove = 120

/** The prices of the day in cents, and what a customer was quoted. */
export class Prices {
  /** The percentage of the first prices. */
  percent = 100
  readonly #quotes = new Map<string, { readonly cents: number; readonly until: number }>()

  /** The price of a month or a tariff. */
  of(offer: Order["offer"]) {
    return (sold[offer][0] * this.percent) / 100
  }

  ofExtension(offer: Order["offer"], months: number) {
    if (offer === "mobile") return this.of(offer)
    return months === 3 ? (threeMonths * this.percent) / 100 : months * this.of(offer)
  }

  /** Answers the price, which holds for ten minutes. */
  quote(offer: Order["offer"], now: number) {
    const cents = this.of(offer)
    this.#quotes.set(offer, { cents, until: now + quoteHolds })
    return cents
  }

  /** The price of an order. */
  ofOrder(offer: Order["offer"], now: number) {
    const quoted = this.#quotes.get(offer)
    return quoted !== undefined && now < quoted.until ? Math.min(this.of(offer), quoted.cents) : this.of(offer)
  }

  /** True when a due renewal is not charged, because its price is announced first. */
  announces(order: Order, now: number): boolean {
    const { announced, expires_at, last, offer } = order
    const cents = this.of(offer)
    const isEarly = announced !== undefined && now < announced.from
    const isKnown = announced === undefined ? cents * 100 <= last * announceAbove : cents <= announced.cents
    if (!isEarly && isKnown) return false
    if (!isEarly) order.announced = { cents, from: now + Math.min(day, Math.floor((expires_at - now) / 2)) }
    order.renew_at = order.announced?.from ?? now
    return true
  }
}
