import { DateTime, Duration } from "effect"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import type { Order } from "../Order.ts"
import { expiringFrom, isLive, type ProxyStatus } from "../OrderStatus.ts"

/** The differences between an order and its proxy, with the values of the provider; null: no difference. */
export interface ProxyDrift {
  /** The address of the proxy, its credentials and its whitelist. */
  readonly access: Pick<
    ProviderProxy,
    "host" | "port" | "username" | "password" | "protocol" | "whitelisted_ips"
  > | null
  /** The end of the proxy and its traffic limit. */
  readonly terms: {
    readonly expiring_at: DateTime.Utc
    readonly expires_at: DateTime.Utc
    readonly bandwidth_gb: number | null
    /** True when the proxy ends later than the order says, by more than `skew`. */
    readonly is_longer: boolean
    /** True when the proxy ends earlier, by more than `skew`, or has a lower limit. */
    readonly is_less: boolean
  } | null
}

/** The tolerated difference of two clocks: ends that differ by less are the same. */
const skew = Duration.minutes(5)

const isLater = (than: DateTime.Utc, end: DateTime.Utc) => DateTime.isGreaterThan(end, DateTime.addDuration(than, skew))

const accessDrift = (order: Order, proxy: ProviderProxy): ProxyDrift["access"] => {
  const { host, password, port, protocol, username, whitelisted_ips } = proxy
  const same =
    order.host === host &&
    order.port === port &&
    order.username === username &&
    order.password === password &&
    order.protocol === protocol &&
    order.whitelisted_ips.join() === whitelisted_ips.join()
  return same ? null : { host, port, username, password, protocol, whitelisted_ips }
}

/** The traffic limit. When the provider has none, the limit is the customer's own and stays. */
export const limitOf = (order: Order, proxy: Pick<ProviderProxy, "bandwidth_gb">): number | null =>
  proxy.bandwidth_gb ?? order.bandwidth_gb

const termsDrift = (order: LiveOrder, proxy: ProviderProxy): ProxyDrift["terms"] => {
  const { cycle_started_at: started } = order
  const bandwidth_gb = limitOf(order, proxy)
  // An end before the start of the cycle belongs to an earlier cycle.
  const expires_at = DateTime.isGreaterThan(proxy.expires_at, started) ? proxy.expires_at : order.expires_at
  if (DateTime.Equivalence(order.expires_at, expires_at) && order.bandwidth_gb === bandwidth_gb) return null
  return {
    expires_at,
    expiring_at: expiringFrom(started, expires_at),
    bandwidth_gb,
    is_longer: isLater(order.expires_at, expires_at),
    is_less: isLater(expires_at, order.expires_at) || (bandwidth_gb ?? Infinity) < (order.bandwidth_gb ?? Infinity)
  }
}

export const drift = (order: LiveOrder, proxy: ProviderProxy): ProxyDrift => ({
  access: accessDrift(order, proxy),
  terms: termsDrift(order, proxy)
})

/**
 * The present status of a proxy. A proxy that its provider no longer runs has expired when its time is over, by the
 * order or by the provider; else the provider ended it early. Without an answer of the provider, the order decides.
 */
export const statusAt = (order: Order, proxy: ProviderProxy | undefined, now: DateTime.Utc): ProxyStatus => {
  if (!isLive(order.proxy_status) || proxy?.is_live === true) return order.proxy_status
  if (!isLiveAt(order, now)) return "expired"
  if (proxy === undefined) return order.proxy_status
  const { expires_at } = termsDrift(order, proxy) ?? order
  return isLater(now, expires_at) ? "cancelled" : "expired"
}
