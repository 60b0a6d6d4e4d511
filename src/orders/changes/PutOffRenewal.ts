import { DateTime, Effect } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import { AutoRenewalRepo } from "./AutoRenewalRepo.ts"
import type { Order } from "../Order.ts"
import { ProxyHistory } from "../proxies/ProxyHistory.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"
import type { RenewalFailure } from "./RenewalFailure.ts"

/** Pause after a failed renewal; the job tries again until the proxy expires. */
const again = { hours: 1 }

/** Puts the next try off, and tells the owner the failure once per cycle, in the caller's transaction. */
export const make = Effect.gen(function* () {
  const history = yield* ProxyHistory
  const notifications = yield* Notifications
  const repo = yield* AutoRenewalRepo

  return Effect.fnUntraced(function* (order: Order, { reason, why }: RenewalFailure) {
    const now = yield* DateTime.now
    const isFirst = yield* repo.putOff(order.id, now, DateTime.add(now, again))
    if (!isFirst) return
    yield* history.renewalFailed(order.id, reason)
    yield* notifications.add([ProxyNotices.renewalFailed(order, why)])
  })
})
