import { DateTime } from "effect"
import type { Page } from "../platform/fields/Page.ts"

/** Number of orders of a list that were created in a month (UTC). */
export interface MonthOfOrders {
  readonly month: DateTime.Utc
  readonly orders: number
}

/** Position of a page in a list: between `from` and `to`, after `skip` orders from the nearer end. */
export interface OrderPage {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
  readonly direction: "newest first" | "oldest first"
  readonly skip: number
  readonly limit: number
}

/**
 * Finds a page without reading the orders before it. `months` holds the months that have orders, newest first. Returns
 * undefined when the page lies after the end of the list.
 */
export const locate = (months: ReadonlyArray<MonthOfOrders>, { limit, offset }: Page): OrderPage | undefined => {
  let to: DateTime.Utc | undefined
  let before = 0
  let passed = 0
  for (const [index, { month, orders }] of months.entries()) {
    if (to === undefined && passed + orders > offset) {
      to = DateTime.add(month, { months: 1 })
      before = offset - passed
    }
    passed += orders
    const isLast = index === months.length - 1
    if (to === undefined || (passed < offset + limit && !isLast)) continue
    const found = Math.min(limit, passed - offset)
    const after = passed - offset - found
    return after < before
      ? { from: month, to, direction: "oldest first", skip: after, limit: found }
      : { from: month, to, direction: "newest first", skip: before, limit: found }
  }
  return undefined
}
