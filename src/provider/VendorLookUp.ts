import { DateTime, Effect } from "effect"
import type { Sold, Vendor } from "./Vendor.ts"
import { pending } from "./VendorFault.ts"
import type { VendorPurchase, VendorPurchasesRepo } from "./VendorPurchasesRepo.ts"

/** More orders than these that were placed at the same time are left for the next look-up, when some are claimed. */
const maxInspected = 20

export const isSold = (purchase: VendorPurchase): purchase is Sold => purchase.vendor_order_id !== null

/** What is on record of purchases, and what the vendor says of them. */
export const make = (repo: VendorPurchasesRepo["Service"], vendor: Vendor) => {
  /** The proxy of a purchase; undefined when it came to nothing, or was delivered and is gone. */
  const read = Effect.fnUntraced(function* (purchase: Sold) {
    const delivery = yield* vendor.read(purchase)
    const isNews = purchase.delivered_at === null
    if (delivery === "void" || (delivery === "absent" && !isNews)) return undefined
    if (delivery === "absent") return yield* pending(`order ${purchase.vendor_order_id} is not delivered yet`)
    if (isNews) {
      yield* vendor.delivered(purchase)
      yield* repo.delivered(purchase, yield* DateTime.now)
    }
    return delivery
  })

  /**
   * The purchase with its order at the vendor. One whose outcome is unknown gets an order for the same article that
   * was placed since and that no other purchase has: two such purchases may get each other's, which are the same. An
   * order that may as well be that of another article's purchase is nobody's until it is known what became of that.
   */
  const lookUp = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    if (isSold(purchase)) return purchase
    const orders = yield* vendor.ordersSince(purchase)
    const ids = orders.map(({ id }) => id)
    const claimed = yield* repo.claimed(vendor.name, ids)
    // Read after the orders: whatever else was bought and is listed is on record by then.
    const since = DateTime.subtractDuration(purchase.requested_at, vendor.settlesAfter)
    const rivals = yield* repo.rivals(purchase, since)
    const free = orders.filter(({ id }) => !claimed.has(id))
    let isClear = free.length <= maxInspected
    for (const { id, judge } of free.slice(0, maxInspected)) {
      const verdictOn = yield* judge
      const verdict = verdictOn(purchase)
      const isOurs = verdict === "yes" && rivals.every((rival) => verdictOn(rival) === "no")
      if (isOurs && (yield* repo.claim(purchase, id))) return { ...purchase, vendor_order_id: id }
      if (verdict !== "no") isClear = false
    }
    return isClear ? undefined : yield* pending("an order that was placed at the same time may be this one")
  })

  return { read, lookUp }
}
export type VendorLookUp = ReturnType<typeof make>
