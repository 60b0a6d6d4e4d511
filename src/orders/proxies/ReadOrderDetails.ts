import { Effect } from "effect"
import { isMobileRotating, type Order } from "../Order.ts"
import { orderView } from "../OrderView.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { MobileProxies } from "./MobileProxies.ts"

/** Returns an order with the present state of its proxy, as `OrderDetailsView`. */
export const make = Effect.gen(function* () {
  const live = yield* LiveProxies
  const mobile = yield* MobileProxies

  return Effect.fnUntraced(function* (order: Order) {
    const hasSnapshot = isMobileRotating(order) && order.provider_proxy_id !== null
    return hasSnapshot ? yield* mobile.read(order) : orderView(order, yield* live.usedGb(order))
  })
})
