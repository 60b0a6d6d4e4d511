import { DateTime, Duration, Schema } from "effect"

export const OrderStatus = Schema.Literals([
  "new",
  "waiting_payment",
  "paid",
  "provisioned",
  "provisioning_failed",
  "cancelled",
  "refunded",
  "expired"
])
export type OrderStatus = typeof OrderStatus.Type

export const ProxyStatus = Schema.Literals(["pending", "active", "expiring", "expired", "cancelled"])
export type ProxyStatus = typeof ProxyStatus.Type

/** The statuses an order may take after each (decisions section 5); the database refuses every other move. */
export const nextOrderStatuses: Record<OrderStatus, ReadonlyArray<OrderStatus>> = {
  new: ["waiting_payment", "paid"],
  waiting_payment: ["paid", "cancelled"],
  paid: ["provisioned", "provisioning_failed"],
  provisioning_failed: ["refunded"],
  provisioned: ["expired", "cancelled", "refunded"],
  cancelled: [],
  refunded: [],
  expired: []
}

/** The statuses a proxy may take after each. */
export const nextProxyStatuses: Record<ProxyStatus, ReadonlyArray<ProxyStatus>> = {
  pending: ["active", "cancelled"],
  active: ["expiring", "cancelled"],
  expiring: ["active", "expired", "cancelled"],
  expired: [],
  cancelled: []
}

/** Whether a proxy in this status carries traffic. */
export const isLive = (status: ProxyStatus): boolean => status === "active" || status === "expiring"

/** A proxy is `expiring` when less than min(72 h, 20 % of its cycle) remains. */
export const expiringFrom = (cycleStart: DateTime.Utc, expiresAt: DateTime.Utc): DateTime.Utc => {
  const cycle = DateTime.distance(cycleStart, expiresAt)
  return DateTime.subtractDuration(expiresAt, Duration.min(Duration.hours(72), Duration.times(cycle, 0.2)))
}
