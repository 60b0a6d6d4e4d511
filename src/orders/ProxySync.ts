import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { ProviderProxy } from "../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "./LiveOrder.ts"
import { LiveProxies } from "./LiveProxies.ts"
import type { Order } from "./Order.ts"
import { type ProviderDown, ProxyNotLive } from "./OrderErrors.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import { drift, statusAt } from "./ProxyDrift.ts"

/** How long a provider's answer holds. */
const interval = { hours: 1 }
/** When the provider is asked again that could not say, or whose answer could not be followed yet. */
export const soon = { minutes: 5 }

/** An order, and its proxy at the provider: undefined when that no longer runs it. */
export interface Synced {
  readonly order: Order
  readonly proxy: ProviderProxy | undefined
}

const orEnded = <R>(updated: Effect.Effect<Option.Option<Order>, never, R>) =>
  Effect.flatMap(updated, (order) => (Option.isSome(order) ? Effect.succeed(order.value) : new ProxyNotLive()))

/** Keeps orders as their providers have the proxies. The caller has the proxy for itself (`ProxyHold`). */
export class ProxySync extends Context.Service<
  ProxySync,
  {
    /** Asks the provider. A proxy that it has ended before its time ends the order. */
    readonly sync: (order: Order) => Effect.Effect<Synced, ProxyNotLive | ProviderDown>
    /** Stores what the provider answered; end and traffic only while no billed change of the proxy is pending. */
    readonly store: (
      order: LiveOrder,
      proxy: ProviderProxy,
      rotatedAt?: DateTime.Utc
    ) => Effect.Effect<Order, ProxyNotLive>
  }
>()("app/orders/ProxySync") {
  static readonly layerNoDeps = Layer.effect(
    ProxySync,
    Effect.gen(function* () {
      const repo = yield* ProxiesRepo
      const changes = yield* ProxyChangesRepo
      const live = yield* LiveProxies

      const store = Effect.fn("ProxySync.store")(function* (
        order: LiveOrder,
        proxy: ProviderProxy,
        rotatedAt?: DateTime.Utc
      ) {
        const now = yield* DateTime.now
        const { access, terms } = drift(order, proxy)
        const held = terms !== null && (yield* changes.hasPending(order.id))
        const next = DateTime.add(now, held ? soon : interval)
        return yield* orEnded(repo.store(order.id, { access, terms: held ? null : terms }, now, next, rotatedAt))
      })

      const cancel = Effect.fnUntraced(function* (order: LiveOrder, now: DateTime.Utc) {
        const cancelled = yield* orEnded(repo.cancel(order.id, now))
        yield* Effect.logWarning("A provider ended a proxy before its time", {
          order_id: order.id,
          provider: order.provider
        })
        return cancelled
      })

      /** A billed change that is pending is settled first; what has reached its end is ended by `Expiry`. */
      const ended = Effect.fnUntraced(function* (order: LiveOrder, proxy: ProviderProxy | undefined) {
        const now = yield* DateTime.now
        const pending = yield* changes.hasPending(order.id)
        const proxy_status = statusAt(order, proxy, now)
        if (proxy_status === "cancelled" && !pending) return yield* cancel(order, now)
        const terms = proxy === undefined || pending ? null : drift(order, proxy).terms
        const stored = yield* orEnded(repo.store(order.id, { access: null, terms }, now, DateTime.add(now, soon)))
        return { ...stored, proxy_status }
      })

      const sync = Effect.fn("ProxySync.sync")(function* (order: Order) {
        if (!isLiveAt(order, yield* DateTime.now)) return yield* new ProxyNotLive()
        const proxy = yield* live.read(order)
        return proxy?.is_live === true
          ? { order: yield* store(order, proxy), proxy }
          : { order: yield* ended(order, proxy), proxy: undefined }
      })

      return ProxySync.of({ sync, store })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([ProxiesRepo.layer, ProxyChangesRepo.layer, LiveProxies.layer])
  )
}
