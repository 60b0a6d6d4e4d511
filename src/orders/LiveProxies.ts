import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { Providers } from "../provider/Providers.ts"
import type { ProviderProxy, ProxyProvider } from "../provider/ProxyProvider.ts"
import type { Order } from "./Order.ts"
import { ProviderDown } from "./OrderErrors.ts"
import { isLive } from "./OrderStatus.ts"
import * as ProviderCall from "./ProviderCall.ts"

/** A provider may take so long to know what it has just sold. */
const youth = Duration.minutes(15)

const isYoung = ({ cycle_started_at }: Order) =>
  Effect.map(
    DateTime.now,
    (now) => cycle_started_at !== null && Duration.isLessThan(DateTime.distance(cycle_started_at, now), youth)
  )

/** Orders' proxies as their providers have them. */
export class LiveProxies extends Context.Service<
  LiveProxies,
  {
    /** The adapter that sold the order; one that is switched off is down. */
    readonly provider: (order: Order) => Effect.Effect<ProxyProvider, ProviderDown>
    /** Undefined when the order has no live proxy, or its provider no longer knows it. */
    readonly read: (order: Order) => Effect.Effect<ProviderProxy | undefined, ProviderDown>
    /** Traffic of the running cycle in GB; null when the provider does not say, or not at once. */
    readonly usedGb: (order: Order) => Effect.Effect<number | null>
  }
>()("app/orders/LiveProxies") {
  static readonly layer = Layer.effect(
    LiveProxies,
    Effect.gen(function* () {
      const providers = yield* Providers

      const provider = Effect.fn("LiveProxies.provider")(function* (order: Order) {
        return providers.get(order.provider) ?? (yield* new ProviderDown())
      })

      const read = Effect.fn("LiveProxies.read")(function* (order: Order) {
        if (!isLive(order.proxy_status) || order.provider_proxy_id === null) return undefined
        const seller = yield* provider(order)
        const proxy = yield* ProviderCall.answered(seller.get(order.provider_proxy_id))
        return proxy ?? ((yield* isYoung(order)) ? yield* new ProviderDown() : undefined)
      })

      const usedGb = Effect.fn("LiveProxies.usedGb")(function* (order: Order) {
        const proxy = yield* Effect.option(Effect.timeout(read(order), "5 seconds"))
        return Option.getOrUndefined(proxy)?.used_gb ?? null
      })

      return LiveProxies.of({ provider, read, usedGb })
    })
  )
}
