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

/** A status of a list inside the service: one of the API's, the cancelled orders, or all others. */
export type ChosenStatus = typeof ListedProxyStatus.Type | "cancelled" | "not_cancelled"

/** A filter with `ChosenStatus` in place of the status of the API. */
export type Chosen<Filter extends OrderFilter> = Omit<Filter, "proxy_status"> & { readonly proxy_status?: ChosenStatus }

/** The order status that goes with a proxy status. Constraints of the table keep the two together. */
export const orderStatusOf = {
  active: "provisioned",
  expiring: "provisioned",
  expired: "expired",
  // A cancelled proxy goes with several.
  cancelled: undefined,
  not_cancelled: undefined
} as const satisfies Record<ChosenStatus, OrderStatus | undefined>
