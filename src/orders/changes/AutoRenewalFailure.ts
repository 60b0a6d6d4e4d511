import { DateTime, Effect } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { Order } from "../Order.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"

/** A renewal that failed is tried again after this, until the proxy expires (decisions section 5). */
const again = { hours: 1 }

/** Puts the next try off and tells the owner, once a cycle, in the caller's transaction. */
export const make = Effect.gen(function* () {
  const notifications = yield* Notifications
  const repo = yield* AutoRenewalRepo

  return Effect.fnUntraced(function* (order: Order, why: string) {
    const now = yield* DateTime.now
    const isFirst = yield* repo.putOff(order.id, now, DateTime.add(now, again))
    if (isFirst) yield* notifications.add([ProxyNotices.renewalFailed(order, why)])
  })
})
