import { DateTime, Effect, Schedule } from "effect"
import type { ProviderProxy, ProxyExtension, ProxyProvider, TrafficAddition } from "./ProxyProvider.ts"
import type { Sold, Waiting } from "./Vendor.ts"
import { afterPurchase, pending } from "./VendorFault.ts"
import type { Buying } from "./VendorPurchases.ts"

/** A proxy that was extended lives longer than before, by at least half of what was bought. */
const isExtended = (proxy: ProviderProxy, { period_days, previous }: ProxyExtension) =>
  DateTime.isGreaterThan(proxy.expires_at, DateTime.add(previous.expires_at, { hours: period_days * 12 }))

/** Waits for the time that was bought. */
export const settled = (buying: Buying, waiting: Waiting, purchase: Sold, extension: ProxyExtension) =>
  buying.proxyOf(purchase).pipe(
    Effect.filterOrFail(
      (proxy) => isExtended(proxy, extension),
      () => pending("the vendor has not extended the proxy yet")
    ),
    Effect.retry({ times: waiting.times, schedule: Schedule.spaced(waiting.every) }),
    afterPurchase
  )

/** An extension that was made can be told by the end of the proxy. */
export const findChange = (provider: string, buying: Buying): NonNullable<ProxyProvider["findChange"]> =>
  Effect.fn(`${provider}.findChange`)(function* (provider_proxy_id: string, change: ProxyExtension | TrafficAddition) {
    if (change.kind === "traffic") return undefined
    const proxy = yield* buying.get(provider_proxy_id)
    return proxy !== undefined && isExtended(proxy, change) ? proxy : undefined
  })
