import { DateTime, Duration } from "effect"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import type { Order } from "../Order.ts"
import { expiringFrom, isLive, type ProxyStatus } from "../OrderStatus.ts"

/** What of an order is not so at its provider, as the provider has it; null: nothing. */
export interface ProxyDrift {
  /** How one reaches the proxy, and who may. */
  readonly access: Pick<
    ProviderProxy,
    "host" | "port" | "username" | "password" | "protocol" | "whitelisted_ips"
  > | null
  /** How long it lives and how much it may carry. */
  readonly terms: {
    readonly expiring_at: DateTime.Utc
    readonly expires_at: DateTime.Utc
    readonly bandwidth_gb: number | null
    /** Whether it lives longer, by more than clocks differ. */
    readonly is_longer: boolean
    /** Whether it ends earlier, by more than clocks differ, or carries less. */
    readonly is_less: boolean
  } | null
}

/** Clocks differ: an end that is so much earlier or later is the same. */
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

/** The traffic limit; one that the provider knows nothing of is the customer's own, and stays. */
export const limitOf = (order: Order, proxy: Pick<ProviderProxy, "bandwidth_gb">): number | null =>
  proxy.bandwidth_gb ?? order.bandwidth_gb

const termsDrift = (order: LiveOrder, proxy: ProviderProxy): ProxyDrift["terms"] => {
  const { cycle_started_at: started } = order
  const bandwidth_gb = limitOf(order, proxy)
  // An end before the cycle began is not the end of this cycle.
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
 * A proxy's status at this moment. One that its provider no longer runs has expired when its time is up, by our account
 * or the provider's; otherwise it was ended before its time. Without a word of the provider, the order's counts.
 */
export const statusAt = (order: Order, proxy: ProviderProxy | undefined, now: DateTime.Utc): ProxyStatus => {
  if (!isLive(order.proxy_status) || proxy?.is_live === true) return order.proxy_status
  if (!isLiveAt(order, now)) return "expired"
  if (proxy === undefined) return order.proxy_status
  const { expires_at } = termsDrift(order, proxy) ?? order
  return isLater(now, expires_at) ? "cancelled" : "expired"
}
