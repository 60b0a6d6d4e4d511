import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Providers } from "../../provider/Providers.ts"
import type { ProviderProxy, ProxyProvider } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import type { Order } from "../Order.ts"
import { ProviderDown } from "./ProxyErrors.ts"
import { isLive } from "../OrderStatus.ts"
import * as ProviderCall from "./ProviderCall.ts"

/** The fields of an order that say where its proxy is. */
type Sold = Pick<Order, "provider" | "provider_proxy_id" | "proxy_status">

/** Reads the proxies of orders from their providers. */
export class LiveProxies extends Context.Service<
  LiveProxies,
  {
    /** The adapter that sold the order. Fails when the adapter is switched off. */
    readonly provider: (order: Order) => Effect.Effect<ProxyProvider, ProviderDown>
    /** Returns undefined when the provider does not know the proxy. */
    readonly find: (order: LiveOrder) => Effect.Effect<ProviderProxy | undefined, ProviderDown>
    /**
     * Returns undefined when the order has no live proxy. A provider that does not know a proxy before its end may be
     * wrong, so it counts as down (`ProxySync` decides later).
     */
    readonly read: (order: Order) => Effect.Effect<ProviderProxy | undefined, ProviderDown>
    /** Traffic of the running cycle in GB; null when the provider does not report it within 5 seconds. */
    readonly usedGb: (order: Sold) => Effect.Effect<number | null>
  }
>()("app/orders/LiveProxies") {
  static readonly layer = Layer.effect(
    LiveProxies,
    Effect.gen(function* () {
      const providers = yield* Providers

      const provider = Effect.fn("LiveProxies.provider")(function* (order: Order) {
        return providers.get(order.provider) ?? (yield* new ProviderDown())
      })

      const ask = Effect.fnUntraced(function* (order: Order, provider_proxy_id: string) {
        const seller = yield* provider(order)
        return yield* ProviderCall.answered(seller.get(provider_proxy_id))
      })

      const find = Effect.fn("LiveProxies.find")((order: LiveOrder) => ask(order, order.provider_proxy_id))

      const read = Effect.fn("LiveProxies.read")(function* (order: Order) {
        if (!isLive(order.proxy_status) || order.provider_proxy_id === null) return undefined
        const proxy = yield* ask(order, order.provider_proxy_id)
        if (proxy === undefined && isLiveAt(order, yield* DateTime.now)) return yield* new ProviderDown()
        return proxy
      })

      const usedGb = Effect.fnUntraced(function* ({ provider, provider_proxy_id, proxy_status }: Sold) {
        const seller = providers.get(provider)
        // Skips a provider that counts no traffic.
        if (seller?.traffic === undefined || provider_proxy_id === null || !isLive(proxy_status)) return null
        const proxy = yield* Effect.option(ProviderCall.answered(seller.get(provider_proxy_id), "5 seconds"))
        return Option.getOrUndefined(proxy)?.used_gb ?? null
      })

      return LiveProxies.of({ provider, find, read, usedGb })
    })
  )
}
