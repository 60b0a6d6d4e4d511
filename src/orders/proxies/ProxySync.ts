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

/** The time between two syncs of a proxy. */
const interval = { hours: 1 }
/** The time until the next sync after a missing answer, or one that could not be stored yet. */
export const soon = { minutes: 5 }
/** A proxy that its provider does not know for this time has ended. */
const absence = { hours: 1 }
/** A provider may show the old state of a proxy for this time after a proxy change. */
const grace = Duration.minutes(15)

/** An order, and its proxy at the provider; undefined when the provider no longer runs it. */
export interface Synced {
  readonly order: Order
  readonly proxy: ProviderProxy | undefined
}

const orEnded = <R>(updated: Effect.Effect<Option.Option<Order>, never, R>) =>
  Effect.flatMap(updated, (order) => (Option.isSome(order) ? Effect.succeed(order.value) : new ProxyNotLive()))

/** Stores states that may take paid time or traffic from an order. Waits until all proxy changes are settled. */
const makeTaking = Effect.gen(function* () {
  const repo = yield* ProxiesRepo
  const live = yield* LiveProxies
  const notifications = yield* Notifications
  const atomically = yield* Atomically

  /** The provider may not show changes after this time yet. */
  const settledSince = Effect.fnUntraced(function* (order: LiveOrder) {
    const { find_settles_after } = yield* live.provider(order)
    return DateTime.subtractDuration(yield* DateTime.now, Duration.max(grace, find_settles_after ?? Duration.zero))
  })

  const tell = Effect.fnUntraced(function* ({ bandwidth_gb, expires_at, provider }: LiveOrder, notice: Notice) {
    yield* notifications.add([notice])
    yield* Effect.logError("A provider gives less than was paid for; check the order", {
      provider,
      order_id: notice.order_id,
      paid_for: { expires_at, bandwidth_gb },
      outcome: notice.kind
    })
  })

  return {
    /** Stores the state at the provider. Returns none while a proxy change prevents it. */
    store: Effect.fnUntraced(function* (order: LiveOrder, drift: ProxyDrift) {
      const now = yield* DateTime.now
      const isLess = drift.terms?.is_less === true
      const since = isLess ? yield* settledSince(order) : now
      const stored = yield* repo.store(order.id, drift, since, now, DateTime.add(now, interval))
      if (isLess && Option.isSome(stored)) yield* tell(order, ProxyNotices.reduced(stored.value))
      return stored
    }, atomically),

    /**
     * Cancels the order of a proxy that its provider ended early. Returns none while a proxy change prevents it, or
     * when the account was deleted, because `AccountClosure` ends the orders of deleted accounts.
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

/** Updates orders from their providers. The caller holds the proxy (`ProxyHold`). */
export class ProxySync extends Context.Service<
  ProxySync,
  {
    /** Asks the provider. Cancels the order of a proxy that the provider ended early, with a notice to the owner. */
    readonly sync: (order: Order) => Effect.Effect<Synced, ProxyNotLive | ProviderDown>
    /** Stores an answer of the provider; the end and the traffic limit only while no proxy change prevents it. */
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

      /** Handles a proxy that the provider no longer runs. `Expiry` ends the orders whose time is over. */
      const ended = Effect.fnUntraced(function* (order: LiveOrder, proxy: ProviderProxy) {
        const proxy_status = statusAt(order, proxy, yield* DateTime.now)
        const cancelled = proxy_status === "cancelled" ? yield* taking.cancel(order) : Option.none()
        if (Option.isSome(cancelled)) return cancelled.value
        return { ...(yield* store(order, proxy)), proxy_status }
      })

      /** Handles a proxy that the provider does not know. It has ended after `absence`; one answer may be wrong. */
      const missing = Effect.fnUntraced(function* (order: LiveOrder) {
        const now = yield* DateTime.now
        const since = Option.getOrUndefined(yield* repo.missing(order.id, now, DateTime.add(now, soon)))
        if (since === undefined) return yield* new ProxyNotLive()
        const isLong = DateTime.isLessThanOrEqualTo(DateTime.add(since, absence), now)
        const cancelled = isLong ? yield* taking.cancel(order) : Option.none()
        if (Option.isSome(cancelled)) return cancelled.value
        yield* Effect.logWarning("A provider does not know a proxy that it sold; the sync asks again", {
          order_id: order.id,
          since
        })
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
