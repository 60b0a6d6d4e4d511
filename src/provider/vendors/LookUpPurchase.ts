import { DateTime, Effect } from "effect"
import type { ProviderProxy } from "../ProxyProvider.ts"
import type { Vendor } from "./Vendor.ts"
import { pending, type VendorFailure } from "./VendorFailure.ts"
import { isSold, type SoldPurchase, type VendorPurchase } from "./VendorPurchase.ts"
import type { VendorPurchasesRepo } from "./VendorPurchasesRepo.ts"

/** The most orders that one look-up reads. The next look-up reads others, because some are claimed by then. */
const maxInspected = 20

/** Compares the recorded purchases with the vendor's orders. */
export interface PurchaseLookUp {
  /**
   * Reads the proxy of a purchase and records its first delivery. Undefined when the vendor ended the order without a
   * delivery, or no longer lists a delivered order.
   */
  readonly read: (purchase: SoldPurchase) => Effect.Effect<ProviderProxy | undefined, VendorFailure>
  /**
   * Finds the vendor's order of a purchase. A purchase with an unknown outcome claims an order for the same article that
   * was placed since the request and that no other purchase holds. Two such purchases may get each other's order, because
   * the orders are equal. An order that may also belong to an unknown purchase of another article stays unclaimed until
   * the outcome of that purchase is known.
   *
   * Undefined when the vendor has no such order.
   */
  readonly lookUp: (purchase: VendorPurchase) => Effect.Effect<SoldPurchase | undefined, VendorFailure>
}

export const make = (repo: VendorPurchasesRepo["Service"], vendor: Vendor): PurchaseLookUp => {
  const read: PurchaseLookUp["read"] = Effect.fnUntraced(function* (purchase) {
    const delivery = yield* vendor.read(purchase)
    const isFirstDelivery = purchase.delivered_at === null
    if (delivery === "void" || (delivery === "absent" && !isFirstDelivery)) return undefined
    if (delivery === "absent") return yield* pending(`order ${purchase.vendor_order_id} is not delivered yet`)
    if (isFirstDelivery) {
      yield* vendor.delivered(purchase)
      yield* repo.delivered(purchase, yield* DateTime.now)
    }
    return delivery
  })

  const lookUp: PurchaseLookUp["lookUp"] = Effect.fnUntraced(function* (purchase) {
    if (isSold(purchase)) return purchase
    const orders = yield* vendor.ordersSince(purchase)
    const ids = orders.map(({ id }) => id)
    const claimed = yield* repo.claimed(vendor.name, ids)
    // Read after the orders: by then every other purchase with a listed order is recorded.
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
    return isClear ? undefined : yield* pending("an order that was placed at the same time may belong to this purchase")
  })

  return { read, lookUp }
}
