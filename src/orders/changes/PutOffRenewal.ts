import { DateTime, Effect } from "effect"
import type { LocalText } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { Order } from "../Order.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"

/** Pause after a failed renewal; the job tries again until the proxy expires. */
const again = { hours: 1 }

/** Puts the next try off and sends the owner one notice per cycle, in the caller's transaction. */
export const make = Effect.gen(function* () {
  const notifications = yield* Notifications
  const repo = yield* AutoRenewalRepo

  return Effect.fnUntraced(function* (order: Order, why: LocalText) {
    const now = yield* DateTime.now
    const isFirst = yield* repo.putOff(order.id, now, DateTime.add(now, again))
    if (isFirst) yield* notifications.add([ProxyNotices.renewalFailed(order, why)])
  })
})
