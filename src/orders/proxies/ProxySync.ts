import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { type Notice, Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import type { Order } from "../Order.ts"
import { ProviderDown, ProxyNotLive } from "./ProxyErrors.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { drift, type ProxyDrift, statusAt } from "./ProxyDrift.ts"
import * as ProxyNotices from "./ProxyNotices.ts"

/** How long a provider's answer holds. */
const interval = { hours: 1 }
/** When the provider is asked again that could not say, or whose answer could not be followed yet. */
export const soon = { minutes: 5 }
/** For so long a provider may not know a proxy before that counts as its end. */
const absence = { hours: 1 }
/** For so long after a billed change a provider may still answer as if there had been none. */
const grace = Duration.minutes(15)

/** An order, and its proxy at the provider: undefined when that no longer runs it. */
export interface Synced {
  readonly order: Order
  readonly proxy: ProviderProxy | undefined
}

const orEnded = <R>(updated: Effect.Effect<Option.Option<Order>, never, R>) =>
  Effect.flatMap(updated, (order) => (Option.isSome(order) ? Effect.succeed(order.value) : new ProxyNotLive()))

/** What takes something from an order that was paid for: not before the changes that were bought have settled. */
const makeTaking = Effect.gen(function* () {
  const repo = yield* ProxiesRepo
  const live = yield* LiveProxies
  const notifications = yield* Notifications
  const atomically = yield* Atomically

  /** Changes made since then may not show at the provider yet. */
  const settledSince = Effect.fnUntraced(function* (order: LiveOrder) {
    const { find_settles_after } = yield* live.provider(order)
    return DateTime.subtractDuration(yield* DateTime.now, Duration.max(grace, find_settles_after ?? Duration.zero))
  })

  const tell = Effect.fnUntraced(function* ({ bandwidth_gb, expires_at, provider }: LiveOrder, notice: Notice) {
    yield* notifications.add([notice])
    yield* Effect.logError("A provider gives less than was paid for", {
      provider,
      order_id: notice.order_id,
      paid_for: { expires_at, bandwidth_gb },
      outcome: notice.kind
    })
  })

  return {
    /** Stores what the provider has; none while a billed change is in its way. */
    store: Effect.fnUntraced(function* (order: LiveOrder, drift: ProxyDrift) {
      const now = yield* DateTime.now
      const isLess = drift.terms?.is_less === true
      const since = isLess ? yield* settledSince(order) : now
      const stored = yield* repo.store(order.id, drift, since, now, DateTime.add(now, interval))
      if (isLess && Option.isSome(stored)) yield* tell(order, ProxyNotices.reduced(stored.value))
      return stored
    }, atomically),

    /**
     * Ends the order of a proxy that its provider ended before its time; none while a billed change is in its way, or when
     * the account was deleted: its proxies end with it, and `AccountClosure` ends their orders.
     */
    cancel: Effect.fnUntraced(function* (order: LiveOrder) {
      if (yield* repo.isClosing(order.user_id)) return Option.none()
      const since = yield* settledSince(order)
      const cancelled = yield* repo.cancel(order.id, since, yield* DateTime.now)
      if (Option.isSome(cancelled)) yield* tell(order, ProxyNotices.ended(cancelled.value))
      return cancelled
    }, atomically)
  }
})

/** Keeps orders as their providers have the proxies. The caller has the proxy for itself (`ProxyHold`). */
export class ProxySync extends Context.Service<
  ProxySync,
  {
    /** Asks the provider. A proxy that it has ended before its time ends the order, which the owner is told. */
    readonly sync: (order: Order) => Effect.Effect<Synced, ProxyNotLive | ProviderDown>
    /** Stores what the provider answered; end and traffic only while no billed change of the proxy is in its way. */
    readonly store: (order: LiveOrder, proxy: ProviderProxy) => Effect.Effect<Order, ProxyNotLive | ProviderDown>
  }
>()("app/orders/ProxySync") {
  static readonly layerNoDeps = Layer.effect(
    ProxySync,
    Effect.gen(function* () {
      const repo = yield* ProxiesRepo
      const live = yield* LiveProxies
      const taking = yield* makeTaking

      const store = Effect.fn("ProxySync.store")(function* (order: LiveOrder, proxy: ProviderProxy) {
        const { access, terms } = drift(order, proxy)
        const followed = terms === null ? Option.none() : yield* taking.store(order, { access, terms })
        if (Option.isSome(followed)) return followed.value
        const now = yield* DateTime.now
        const next = DateTime.add(now, proxy.is_live && terms === null ? interval : soon)
        return yield* orEnded(repo.storeAccess(order.id, access, now, next))
      })

      /** What has reached its end is ended by `Expiry`. */
      const ended = Effect.fnUntraced(function* (order: LiveOrder, proxy: ProviderProxy) {
        const proxy_status = statusAt(order, proxy, yield* DateTime.now)
        const cancelled = proxy_status === "cancelled" ? yield* taking.cancel(order) : Option.none()
        if (Option.isSome(cancelled)) return cancelled.value
        return { ...(yield* store(order, proxy)), proxy_status }
      })

      /** One answer may be a mistake: the proxy has ended when it is missing for long. */
      const missing = Effect.fnUntraced(function* (order: LiveOrder) {
        const now = yield* DateTime.now
        const since = Option.getOrUndefined(yield* repo.missing(order.id, now, DateTime.add(now, soon)))
        if (since === undefined) return yield* new ProxyNotLive()
        const isLong = DateTime.isLessThanOrEqualTo(DateTime.add(since, absence), now)
        const cancelled = isLong ? yield* taking.cancel(order) : Option.none()
        if (Option.isSome(cancelled)) return cancelled.value
        yield* Effect.logWarning("A provider does not know a proxy that it sold", { order_id: order.id, since })
        return yield* new ProviderDown()
      })

      const sync = Effect.fn("ProxySync.sync")(function* (order: Order) {
        if (!isLiveAt(order, yield* DateTime.now)) return yield* new ProxyNotLive()
        const proxy = yield* live.find(order)
        if (proxy?.is_live === true) return { order: yield* store(order, proxy), proxy }
        return { order: yield* proxy === undefined ? missing(order) : ended(order, proxy), proxy: undefined }
      })

      return ProxySync.of({ sync, store })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ProxiesRepo.layer, LiveProxies.layer]))
}
