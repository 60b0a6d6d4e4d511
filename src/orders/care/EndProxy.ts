import { DateTime, Effect, Option } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { isLiveAt } from "../LiveOrder.ts"
import type { Order, OrderId } from "../Order.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import { ProxyEnd } from "../proxies/ProxyEnd.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import { ProxyHold } from "../proxies/ProxyHold.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"
import { OrderCareRepo } from "./OrderCareRepo.ts"

/**
 * Ends a proxy that staff release: at its provider, and then here, with a notice to its owner. Nothing is refunded. The record of
 * the release stays until then, so `ProxyReleases` repeats what a crash interrupts.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const history = yield* ProxyHistory
  const hold = yield* ProxyHold
  const live = yield* LiveProxies
  const notifications = yield* Notifications
  const { end } = yield* ProxyEnd
  const repo = yield* OrderCareRepo

  /** An order that had ended by itself is not told about. */
  const ended = Effect.fnUntraced(function* (order: Order, isCancelled: boolean) {
    if (isCancelled) {
      yield* history.released(order.id)
      yield* notifications.add([ProxyNotices.endedBySupport(order)])
    }
    yield* repo.released(order.id)
  }, atomically)

  return Effect.fn("EndProxy")(function* (id: OrderId) {
    yield* hold.during(
      id,
      Effect.fnUntraced(function* () {
        const order = Option.getOrUndefined(yield* repo.find(id))
        if (order?.is_releasing !== true) return
        const isLive = isLiveAt(order, yield* DateTime.now)
        if (isLive) yield* end(order, yield* live.provider(order))
        yield* ended(order, isLive || order.status === "cancelled")
      })
    )
  })
})
