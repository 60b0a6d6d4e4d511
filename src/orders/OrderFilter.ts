import { Schema } from "effect"
import { ProxyKind } from "../catalog/Offer.ts"
import { OrderStatus } from "./OrderStatus.ts"

const ListedProxyStatus = Schema.Literals(["active", "expiring", "expired"])

/** Which of an account's proxies. */
export const ProxyFilter = Schema.Struct({
  proxy_type: Schema.optionalKey(ProxyKind),
  proxy_status: Schema.optionalKey(ListedProxyStatus)
})
export type ProxyFilter = typeof ProxyFilter.Type

/** Which of an account's orders. */
export const OrderFilter = Schema.Struct({ status: Schema.optionalKey(OrderStatus), ...ProxyFilter.fields })
export type OrderFilter = typeof OrderFilter.Type

/** The status of every order whose proxy is in the given one; the database holds the two together. */
export const orderStatusOf = {
  active: "provisioned",
  expiring: "provisioned",
  expired: "expired"
} as const satisfies Record<typeof ListedProxyStatus.Type, OrderStatus>
