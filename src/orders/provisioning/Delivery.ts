import type { DateTime, Schema } from "effect"
import type { KeyedRequest } from "../../idempotency/Idempotency.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import type { PlacedOrder } from "../Order.ts"

/** The first cycle of a proxy. */
interface Cycle {
  readonly cycle_started_at: DateTime.Utc
  readonly expiring_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** A paid order with the proxy that its provider has delivered. */
export const deliveredOrder = (order: PlacedOrder, proxy: ProviderProxy, cycle: Cycle) => ({
  ...order,
  ...cycle,
  status: "provisioned" as const,
  proxy_status: "active" as const,
  provider_proxy_id: proxy.provider_proxy_id,
  host: proxy.host,
  port: proxy.port,
  username: proxy.username,
  password: proxy.password,
  whitelisted_ips: proxy.whitelisted_ips
})
type DeliveredOrder = ReturnType<typeof deliveredOrder>

/** A request with an idempotency key that waits for a single order, and its answer when that order is delivered. */
export interface WaitingRequest {
  readonly keyed: KeyedRequest
  readonly answerOf: (order: DeliveredOrder) => Schema.Json
}

/** A paid order, and the request that waits for it, if any. */
export interface Undelivered {
  readonly order: PlacedOrder
  readonly waiting: WaitingRequest | undefined
}

/** An order with its proxy, before it is stored, and the request that waits for it, if any. */
export interface Delivery {
  readonly order: DeliveredOrder
  readonly waiting: WaitingRequest | undefined
  readonly now: DateTime.Utc
}

/** A delivered order, and the answer that was stored before its delivery, if any. */
export interface Delivered {
  readonly order: DeliveredOrder
  readonly answer: Schema.Json | null
  /** True when the database has an answer of the request: `answer`, or the one that was stored with the delivery. */
  readonly is_kept: boolean
}
