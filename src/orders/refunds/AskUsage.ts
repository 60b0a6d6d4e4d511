import { Effect } from "effect"
import type { Order } from "../Order.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import type { Usage } from "./OrderRefund.ts"

/** Asks the provider for the traffic of an order, for at most 5 seconds. Callers hold no lock and no transaction. */
export const make = Effect.gen(function* () {
  const live = yield* LiveProxies

  return Effect.fnUntraced(function* (order: Order) {
    const used_gb = order.bandwidth_gb === null ? null : yield* live.usedGb(order)
    return { used_gb, cycle_started_at: order.cycle_started_at } satisfies Usage
  })
})
