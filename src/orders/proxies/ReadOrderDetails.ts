import { Effect } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { isMobileRotating, type OrderId } from "../Order.ts"
import { Orders } from "../Orders.ts"
import { orderView } from "../OrderView.ts"
import { LiveProxies } from "./LiveProxies.ts"
import { MobileProxies } from "./MobileProxies.ts"

/** Returns an order of an account with the present state of its proxy, as `OrderDetailsView`. */
export const make = Effect.gen(function* () {
  const live = yield* LiveProxies
  const mobile = yield* MobileProxies
  const orders = yield* Orders

  return Effect.fnUntraced(function* (owner: UserId, id: OrderId) {
    const order = yield* orders.details(owner, id)
    // Only a snapshot needs the whole order, and few orders have one.
    const hasSnapshot = isMobileRotating(order) && order.provider_proxy_id !== null
    return hasSnapshot ? yield* mobile.read(yield* orders.get(owner, id)) : orderView(order, yield* live.usedGb(order))
  })
})
