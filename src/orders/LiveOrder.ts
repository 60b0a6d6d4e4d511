import { DateTime } from "effect"
import type { Order } from "./Order.ts"
import { isLive } from "./OrderStatus.ts"

/** An order whose proxy is running. */
export type LiveOrder = Order & {
  readonly provider_proxy_id: string
  readonly cycle_started_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** True when the proxy runs at `now`. A proxy ends at `expires_at`; a job updates its status a little later. */
export const isLiveAt = (order: Order, now: DateTime.Utc): order is LiveOrder =>
  isLive(order.proxy_status) &&
  order.provider_proxy_id !== null &&
  order.cycle_started_at !== null &&
  order.expires_at !== null &&
  DateTime.isGreaterThan(order.expires_at, now)
