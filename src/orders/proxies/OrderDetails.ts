import { Effect, Schema } from "effect"
import { LiveProxies } from "./LiveProxies.ts"
import { MobileProxies } from "./MobileProxies.ts"
import { MobileSnapshot } from "./MobileSnapshot.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { OrderView, view } from "../OrderView.ts"

/** One order as it is answered: a mobile rotating order with a proxy as the proxy's snapshot. */
export const OrderDetails = Schema.Union([OrderView, MobileSnapshot])

/** Shows an order with its proxy as that is at this moment. */
export const make = Effect.gen(function* () {
  const live = yield* LiveProxies
  const mobile = yield* MobileProxies

  return Effect.fnUntraced(function* (order: Order) {
    const hasSnapshot = isMobileRotating(order) && order.provider_proxy_id !== null
    return hasSnapshot ? yield* mobile.show(order) : view(order, yield* live.usedGb(order))
  })
})
