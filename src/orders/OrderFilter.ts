import { Schema } from "effect"
import { ProxyKind } from "../catalog/Offer.ts"
import { OrderStatus } from "./OrderStatus.ts"

export const ListedProxyStatus = Schema.Literals(["active", "expiring", "expired"])

/** Filter for the proxies of an account. */
export const ProxyFilter = Schema.Struct({
  proxy_type: Schema.optionalKey(ProxyKind),
  proxy_status: Schema.optionalKey(ListedProxyStatus)
})
export type ProxyFilter = typeof ProxyFilter.Type

/** Filter for the orders of an account. */
export const OrderFilter = Schema.Struct({ status: Schema.optionalKey(OrderStatus), ...ProxyFilter.fields })
export type OrderFilter = typeof OrderFilter.Type

/** The order status that goes with a proxy status. Constraints of the table keep the two together. */
export const orderStatusOf = {
  active: "provisioned",
  expiring: "provisioned",
  expired: "expired"
} as const satisfies Record<typeof ListedProxyStatus.Type, OrderStatus>
