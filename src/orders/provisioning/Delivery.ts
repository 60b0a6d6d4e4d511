import type { DateTime, Schema } from "effect"
import type { StatementPart } from "../../platform/postgres/Atomically.ts"
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
export type DeliveredOrder = ReturnType<typeof deliveredOrder>

/**
 * Builds the part of the delivering statement that stores the answer of a request when `isDelivered` holds. The part
 * returns a row when the key has an answer, with the column `answer`: null unless a different answer was stored first.
 */
export type KeepAnswer = (order: DeliveredOrder, isDelivered: StatementPart) => StatementPart

/** A paid order, and the part that stores the answer of the request that waits for it, if any. */
export interface Undelivered {
  readonly order: PlacedOrder
  readonly keep: KeepAnswer | undefined
}

/** A delivered order, and the answer that was stored before its delivery, if any. */
export interface Delivered {
  readonly order: DeliveredOrder
  readonly answer: Schema.Json | null
  /** True when the database has an answer of the request: `answer`, or the one that was stored with the delivery. */
  readonly is_kept: boolean
}
