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

/** The next statuses of an order; the database refuses others (docs/contract.md, "Order and proxy statuses"). */
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

/** The next statuses of a proxy. */
export const nextProxyStatuses: Record<ProxyStatus, ReadonlyArray<ProxyStatus>> = {
  pending: ["active", "cancelled"],
  active: ["expiring", "cancelled"],
  expiring: ["active", "expired", "cancelled"],
  expired: [],
  cancelled: []
}

/** True when a proxy in this status carries traffic. */
export const isLive = (status: ProxyStatus): boolean => status === "active" || status === "expiring"

/** The time from which a proxy is `expiring`: 72 hours before its end, or 20 % of its cycle if that is less. */
export const expiringFrom = (cycleStart: DateTime.Utc, expiresAt: DateTime.Utc): DateTime.Utc => {
  const cycle = DateTime.distance(cycleStart, expiresAt)
  return DateTime.subtractDuration(expiresAt, Duration.min(Duration.hours(72), Duration.times(cycle, 0.2)))
}
