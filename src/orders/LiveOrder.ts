import { DateTime } from "effect"
import type { Order } from "./Order.ts"
import { isLive } from "./OrderStatus.ts"

/** An order whose proxy runs. */
export type LiveOrder = Order & {
  readonly provider_proxy_id: string
  readonly cycle_started_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** A proxy ends when its time is over, also while its status does not say so yet. */
export const isLiveAt = (order: Order, now: DateTime.Utc): order is LiveOrder =>
  isLive(order.proxy_status) &&
  order.provider_proxy_id !== null &&
  order.cycle_started_at !== null &&
  order.expires_at !== null &&
  DateTime.isGreaterThan(order.expires_at, now)
