import { DateTime, Duration } from "effect"
import type { ProviderProxy } from "../provider/ProxyProvider.ts"
import { isLiveAt, type LiveOrder } from "./LiveOrder.ts"
import type { Order } from "./Order.ts"
import { expiringFrom, isLive, type ProxyStatus } from "./OrderStatus.ts"

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
  } | null
}

/** Clocks differ: a provider that ends a proxy so much early has not ended it before its time. */
const skew = Duration.minutes(5)

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

const termsDrift = (order: LiveOrder, { bandwidth_gb, expires_at }: ProviderProxy): ProxyDrift["terms"] => {
  const { cycle_started_at: started } = order
  // An end before the cycle began is not the end of this cycle.
  const ends = DateTime.isGreaterThan(expires_at, started) ? expires_at : order.expires_at
  const same = DateTime.Equivalence(order.expires_at, ends) && order.bandwidth_gb === bandwidth_gb
  return same ? null : { expires_at: ends, expiring_at: expiringFrom(started, ends), bandwidth_gb }
}

export const drift = (order: LiveOrder, proxy: ProviderProxy): ProxyDrift => ({
  access: accessDrift(order, proxy),
  terms: termsDrift(order, proxy)
})

/**
 * A proxy's status at this moment. One that its provider no longer runs has expired when its time is up, by our account
 * or the provider's; otherwise it was ended before its time.
 */
export const statusAt = (order: Order, proxy: ProviderProxy | undefined, now: DateTime.Utc): ProxyStatus => {
  if (!isLive(order.proxy_status) || proxy?.is_live === true) return order.proxy_status
  if (!isLiveAt(order, now)) return "expired"
  const { expires_at } = (proxy && termsDrift(order, proxy)) ?? order
  return DateTime.isLessThanOrEqualTo(expires_at, DateTime.addDuration(now, skew)) ? "expired" : "cancelled"
}
