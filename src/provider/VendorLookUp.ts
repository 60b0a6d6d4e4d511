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
   * was placed since and that no other purchase has: two such purchases may get each other's, which are the same.
   */
  const lookUp = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    if (isSold(purchase)) return purchase
    const orders = yield* vendor.ordersSince(purchase)
    const ids = orders.map(({ id }) => id)
    const claimed = yield* repo.claimed(vendor.name, ids)
    const free = orders.filter(({ id }) => !claimed.has(id))
    let isClear = free.length <= maxInspected
    for (const { id, isOfArticle } of free.slice(0, maxInspected)) {
      const answer = yield* isOfArticle
      if (answer === "yes" && (yield* repo.claim(purchase, id))) return { ...purchase, vendor_order_id: id }
      if (answer !== "no") isClear = false
    }
    return isClear ? undefined : yield* pending("an order placed at the same time is not delivered yet")
  })

  return { read, lookUp }
}
export type VendorLookUp = ReturnType<typeof make>
