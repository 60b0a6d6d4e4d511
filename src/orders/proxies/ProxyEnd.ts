import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { ProxyProvider } from "../../provider/ProxyProvider.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import type { Order } from "../Order.ts"
import { type ProviderDown, ProxyBusy } from "./ProxyErrors.ts"
import * as ProviderCall from "./ProviderCall.ts"
import { ProxiesRepo } from "./ProxiesRepo.ts"

/** Ends a proxy and its order early. */
export class ProxyEnd extends Context.Service<
  ProxyEnd,
  {
    /**
     * Releases the proxy at its provider and cancels the order. A provider without a release lets the proxy run until
     * its end. The caller holds the proxy (`ProxyHold`).
     */
    readonly end: (order: LiveOrder, provider: ProxyProvider) => Effect.Effect<Order, ProxyBusy | ProviderDown>
  }
>()("app/orders/ProxyEnd") {
  static readonly layerNoDeps = Layer.effect(
    ProxyEnd,
    Effect.gen(function* () {
      const repo = yield* ProxiesRepo

      const end = Effect.fn("ProxyEnd.end")(function* (order: LiveOrder, provider: ProxyProvider) {
        if (yield* repo.hasPendingChange(order.id)) return yield* new ProxyBusy({ details: {} })
        const now = yield* DateTime.now
        yield* repo.syncAt(order.id, now)
        if (provider.release !== undefined) yield* ProviderCall.answered(provider.release(order.provider_proxy_id))
        const cancelled = Option.getOrUndefined(yield* repo.cancel(order.id, now, now))
        // A change that the customer has paid for in the meantime is settled first. The next sync then ends the order.
        return cancelled ?? (yield* new ProxyBusy({ details: {} }))
      })

      return ProxyEnd.of({ end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ProxiesRepo.layer))
}
