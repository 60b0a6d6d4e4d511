import { DateTime, Effect } from "effect"
import { type LocalText, say } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { ChangedProxy, ProviderProxy } from "../../provider/ProxyProvider.ts"
import { descriptions } from "../../wallet/EntryDescription.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import * as PutOffRenewal from "./PutOffRenewal.ts"
import type * as BilledCall from "../../provider/BilledCall.ts"
import type { Order } from "../Order.ts"
import { expiringFrom } from "../OrderStatus.ts"
import { isGiven, paymentReference, type ProxyChange, type Refusal, refusalError } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import * as ProxyNotices from "../proxies/ProxyNotices.ts"

/**
 * Chooses the end of a changed proxy: normally the end that the provider shows. A provider that still shows the
 * previous end, or a past one, is behind. Then the end that was paid for counts, because the provider has confirmed the
 * change.
 */
const endOf = (change: ProxyChange, proxy: ProviderProxy, now: DateTime.Utc) => {
  const { expires_at, kind, previous_expires_at } = change
  const isBehind =
    DateTime.Equivalence(proxy.expires_at, previous_expires_at) ||
    DateTime.isLessThanOrEqualTo(proxy.expires_at, now) ||
    (kind === "append" && DateTime.isLessThan(proxy.expires_at, previous_expires_at))
  return isBehind ? expires_at : proxy.expires_at
}

const cycleAfter = (change: ProxyChange, order: Order, proxy: ProviderProxy, now: DateTime.Utc) => {
  const begun = change.kind === "restart" ? (change.attempted_at ?? now) : (order.cycle_started_at ?? now)
  const expires_at = DateTime.max(begun, endOf(change, proxy, now))
  return { cycle_started_at: begun, expiring_at: DateTime.max(begun, expiringFrom(begun, expires_at)), expires_at }
}

const meanings: Record<Refusal, LocalText> = {
  provider_refused: say("notice.why_refused"),
  provider_down: say("notice.why_unreachable")
}

interface Refused {
  readonly refusal: Refusal
  /** The reason for the record. The customer gets the meaning of `refusal` instead. */
  readonly reason: string
  /** True when the response to the customer's request reports the refusal. */
  readonly isReported: boolean
}

/** Records the steps that end a round of a proxy change, with the money that goes with them. */
export const make = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const renewalFailed = yield* PutOffRenewal.make
  const wallets = yield* Wallets
  const notifications = yield* Notifications
  const atomically = yield* Atomically

  const apply = Effect.fnUntraced(function* (change: ProxyChange, order: Order, proxy: ChangedProxy) {
    const now = yield* DateTime.now
    const { cost_usd = change.cost_usd } = proxy
    if (!(yield* repo.close(change.id, { status: "applied", refusal: null, detail: null, cost_usd }, now))) return
    if (change.kind === "traffic") return yield* repo.raiseLimit(change, now)
    if (change.kind === "replace") {
      yield* repo.replaceAccess(order.id, proxy, now)
      const isWarranty = change.origin === "warranty"
      return yield* notifications.add([isWarranty ? ProxyNotices.moved(order) : ProxyNotices.replaced(order)])
    }
    const cycle = cycleAfter(change, order, proxy, now)
    yield* repo.extendOrder(change, cycle, now)
    if (change.origin === "request") return
    const notice = change.origin === "staff" ? ProxyNotices.timeGiven : ProxyNotices.renewed
    yield* notifications.add([notice({ ...order, ...cycle })])
  }, atomically)

  const refund = Effect.fnUntraced(function* (
    change: ProxyChange,
    order: Order,
    { isReported, reason, refusal }: Refused
  ) {
    const closed = { status: "refused", refusal, detail: reason, cost_usd: change.cost_usd } as const
    if (!(yield* repo.close(change.id, closed, yield* DateTime.now))) return
    // Nobody has paid for what is given. A customer who waits for it reads the refusal in the answer.
    if (isGiven(change)) return
    const why = meanings[refusal]
    if (change.origin === "auto_renew") yield* renewalFailed(order, { reason: refusal, why })
    else if (!isReported) yield* notifications.add([ProxyNotices.changeFailed(order, why)])
    const reference = paymentReference(change.id)
    const description = descriptions[refusal]
    yield* wallets.refund({ order_id: order.id, payment_reference: reference, reference, description })
  }, atomically)

  return {
    /** The provider has made the change. */
    apply,

    /** The change is not made and never will be: the money returns, and the error says why. */
    refuse: Effect.fnUntraced(function* (change: ProxyChange, order: Order, because: Refused) {
      const { id, order_id } = change
      const { reason, refusal } = because
      yield* Effect.logWarning("Cannot make a proxy change; what was paid for it is refunded", {
        id,
        order_id,
        provider: order.provider,
        reason
      })
      yield* refund(change, order, because)
      return yield* refusalError(refusal)
    }),

    /** The provider may have made the change: it stays pending. */
    lookUpAgain: Effect.fnUntraced(function* ({ id, order_id }: ProxyChange, { at, reason }: BilledCall.Again) {
      yield* Effect.logWarning("The outcome of a proxy change is unknown; looking it up", { id, order_id, reason })
      yield* repo.postpone(id, at)
    })
  }
})
