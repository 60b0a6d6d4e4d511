import { DateTime, Effect } from "effect"
import { type Notice, Notifications } from "../notifications/Notifications.ts"
import { Atomically } from "../platform/Atomically.ts"
import type { ProviderProxy } from "../provider/ProxyProvider.ts"
import { Wallets } from "../wallet/Wallets.ts"
import type { Order } from "./Order.ts"
import type { ProviderDown, ProviderSaidNo } from "./OrderErrors.ts"
import { expiringFrom } from "./OrderStatus.ts"
import { paymentReference, type ProxyChange } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import * as ProxyNotices from "./ProxyNotices.ts"

/** The pause before a provider that did nothing is asked again, or an unknown outcome is looked up again. */
const pause = { seconds: 15 }

/** The proxy ends when its provider ends it; one that shows the old end yet is taken at its word. */
const endOf = ({ expires_at, kind, previous_expires_at }: ProxyChange, proxy: ProviderProxy) =>
  kind === "append" && DateTime.isLessThanOrEqualTo(proxy.expires_at, previous_expires_at)
    ? expires_at
    : proxy.expires_at

const cycleAfter = (change: ProxyChange, order: Order, proxy: ProviderProxy, now: DateTime.Utc) => {
  const begun = change.kind === "restart" ? (change.attempted_at ?? now) : (order.cycle_started_at ?? now)
  const expires_at = DateTime.max(begun, endOf(change, proxy))
  return { cycle_started_at: begun, expiring_at: DateTime.max(begun, expiringFrom(begun, expires_at)), expires_at }
}

/** What becomes of a pending change after each answer of its provider. */
export const make = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets
  const notifications = yield* Notifications
  const atomically = yield* Atomically

  const applied = Effect.fnUntraced(function* (change: ProxyChange, order: Order, proxy: ProviderProxy) {
    const now = yield* DateTime.now
    if (!(yield* repo.close(change.id, "applied", null, now))) return
    if (change.kind === "traffic") return yield* repo.raiseLimit(change, now)
    const cycle = cycleAfter(change, order, proxy, now)
    yield* repo.extendOrder(change, cycle, now)
    if (change.origin === "auto_renew") yield* notifications.add([ProxyNotices.renewed({ ...order, ...cycle })])
  }, atomically)

  /** Whoever waits for the answer hears of it there. */
  const noticeOf = Effect.fnUntraced(function* (change: ProxyChange, order: Order, why: string, isWaitedFor: boolean) {
    if (isWaitedFor) return []
    if (change.origin === "request") return [ProxyNotices.changeFailed(order, why)]
    const isFirst = yield* repo.renewalFailed(order.id, yield* DateTime.now)
    const notices: ReadonlyArray<Notice> = isFirst ? [ProxyNotices.renewalFailed(order, why)] : []
    return notices
  })

  const refund = Effect.fnUntraced(function* (
    change: ProxyChange,
    order: Order,
    { isWaitedFor, reason, why }: { readonly reason: string; readonly why: string; readonly isWaitedFor: boolean }
  ) {
    if (!(yield* repo.close(change.id, "refused", reason, yield* DateTime.now))) return
    yield* notifications.add(yield* noticeOf(change, order, why, isWaitedFor))
    const reference = paymentReference(change.id)
    const description = `Refund: ${why}`
    yield* wallets.refund({ order_id: order.id, payment_reference: reference, reference, description })
  }, atomically)

  return {
    /** The provider has made it. */
    applied,

    /** The provider has not made it and never will: the money returns, and `error` says so. */
    refused: Effect.fnUntraced(function* (
      change: ProxyChange,
      order: Order,
      error: ProviderSaidNo | ProviderDown,
      { isWaitedFor, reason }: { readonly reason: string; readonly isWaitedFor: boolean }
    ) {
      const { id, order_id } = change
      yield* Effect.logWarning("A change was not made, refunding", { id, order_id, provider: order.provider, reason })
      const why = error._tag === "ProviderSaidNo" ? "the provider refused" : "the provider could not be reached"
      yield* refund(change, order, { reason, why, isWaitedFor })
      return yield* error
    }),

    /** The provider certainly did nothing, and is asked again in a moment. */
    notMade: Effect.fnUntraced(function* ({ id }: ProxyChange) {
      yield* repo.notMade(id, DateTime.add(yield* DateTime.now, pause))
    }),

    /** The provider may have made it: it is looked up. */
    unknown: Effect.fnUntraced(function* ({ id, order_id }: ProxyChange, reason: string) {
      yield* Effect.logWarning("The outcome of a change is unknown", { id, order_id, reason })
      yield* repo.postpone(id, DateTime.add(yield* DateTime.now, pause))
    })
  }
})
