import { DateTime, Record, Schema, Struct } from "effect"
import { IpVersion, ProxyKind, ProxyProtocol } from "../catalog/Offer.ts"
import * as Money from "../platform/Money.ts"
import { Order, PaymentMethod } from "./Order.ts"
import { isLive, OrderStatus, ProxyStatus } from "./OrderStatus.ts"

const ProxyAccess = Schema.Struct({
  id: Schema.String.annotate({ description: "The provider's id of the proxy" }),
  host: Schema.String.annotate({ examples: ["127.0.0.1"] }),
  port: Schema.Int.annotate({ examples: [20000] }),
  username: Schema.String.annotate({ examples: ["u5k2m8p1"] }),
  password: Schema.String.annotate({ examples: ["f3Zk9Qw1Lm7s"] }),
  protocol: ProxyProtocol,
  status: ProxyStatus,
  expires_at: Schema.String,
  whitelisted_ips: Schema.Array(Schema.String),
  bandwidth_total_gb: Schema.Finite.annotate({ description: "GB (10^9 bytes); 0 is unlimited" }),
  bandwidth_used_gb: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "ProxyAccess" })

const fields = {
  id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  status: OrderStatus,
  total_usd: Schema.Finite.annotate({ examples: [4.5] }),
  proxy_type: ProxyKind,
  ip_version: IpVersion,
  protocol: ProxyProtocol,
  country: Schema.String.annotate({ examples: ["US"] }),
  quantity: Schema.Int.annotate({ examples: [1] }),
  period_days: Schema.Int.annotate({ examples: [30] }),
  payment_info: Schema.Struct({
    payment_method: PaymentMethod,
    payment_intent_id: Schema.NullOr(Schema.String),
    payment_url: Schema.NullOr(Schema.String)
  }),
  proxy_access: Schema.Array(ProxyAccess)
}

/** The wire form of an order (docs/contract.md, "Orders"). */
export const OrderView = Schema.Struct(fields).annotate({ identifier: "Order" })
export type OrderView = typeof OrderView.Type

/** An order in a list: the order, and the fields that clients sort and filter by. */
export const ListedOrderView = Schema.Struct({
  ...fields,
  proxy_status: ProxyStatus,
  auto_renew: Schema.Boolean,
  expires_at: Schema.NullOr(Schema.String),
  notes: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "ListedOrder" })

export type ListedOrderView = typeof ListedOrderView.Type

/** A page of the orders of an account; `total` counts all matches. */
export const OrderListView = Schema.Struct({
  orders: Schema.Array(ListedOrderView),
  total: Schema.Int,
  limit: Schema.Int,
  offset: Schema.Int
})

const viewed = Struct.pick(Order.fields, [
  "id",
  "status",
  "proxy_status",
  "total_usd",
  "proxy_type",
  "ip_version",
  "protocol",
  "country",
  "period_days",
  "bandwidth_gb",
  "payment_method",
  "payment_intent_id",
  "payment_url",
  "provider_proxy_id",
  "host",
  "port",
  "username",
  "password",
  "whitelisted_ips"
])

/** The columns of one order that its details need. Times stay as PostgreSQL's driver reads them. */
export const OrderDetailsRow = Schema.Struct({
  ...viewed,
  ...Struct.pick(Order.fields, ["user_id", "provider", "mode"]),
  expires_at: Schema.NullOr(Schema.Date)
})
export type OrderDetailsRow = typeof OrderDetailsRow.Type

/** The columns of an order that a list needs. */
export const ListedOrderRow = Schema.Struct({
  ...viewed,
  ...Struct.pick(Order.fields, ["auto_renew", "notes"]),
  expires_at: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type ListedOrderRow = typeof ListedOrderRow.Type

/** The fields that `orderView` needs; an order and both rows have them. */
type Viewed = Pick<ListedOrderRow, keyof typeof viewed> & { readonly expires_at: DateTime.Utc | Date | null }

const iso = (time: DateTime.Utc | Date) => (DateTime.isDateTime(time) ? DateTime.formatIso(time) : time.toISOString())

const proxyAccess = (order: Viewed, usedGb: number | null): OrderView["proxy_access"] => {
  const { expires_at, host, password, port, provider_proxy_id, username } = order
  if (!isLive(order.proxy_status)) return []
  if (provider_proxy_id === null || host === null || port === null) return []
  if (username === null || password === null || expires_at === null) return []
  return [
    {
      id: provider_proxy_id,
      host,
      port,
      username,
      password,
      protocol: order.protocol,
      status: order.proxy_status,
      expires_at: iso(expires_at),
      whitelisted_ips: order.whitelisted_ips,
      bandwidth_total_gb: order.bandwidth_gb ?? 0,
      bandwidth_used_gb: usedGb
    }
  ]
}

/** `usedGb` is the traffic of the cycle; null when the provider was not asked. */
export const orderView = (order: Viewed, usedGb: number | null = null): OrderView => ({
  id: order.id,
  status: order.status,
  total_usd: Money.toNumber("USD", order.total_usd),
  proxy_type: order.proxy_type,
  ip_version: order.ip_version,
  protocol: order.protocol,
  country: order.country,
  quantity: 1,
  period_days: order.period_days,
  payment_info: {
    payment_method: order.payment_method,
    payment_intent_id: order.payment_intent_id,
    payment_url: order.payment_url
  },
  proxy_access: proxyAccess(order, usedGb)
})

const blank = (fields: Schema.Struct.Fields) => Record.map(fields, () => undefined)

const [blankOrder, blankPayment, blankAccess] = [fields, fields.payment_info.fields, ProxyAccess.fields].map(blank)

/** A view that was stored as `jsonb`, which loses the order of fields, in the order of the contract again. */
export const storedOrderView = (view: OrderView): OrderView => ({
  ...blankOrder,
  ...view,
  payment_info: { ...blankPayment, ...view.payment_info },
  proxy_access: view.proxy_access.map((access) => ({ ...blankAccess, ...access }))
})

export const listedOrderView = (order: ListedOrderRow): ListedOrderView => ({
  ...orderView(order),
  proxy_status: order.proxy_status,
  auto_renew: order.auto_renew,
  expires_at: order.expires_at?.toISOString() ?? null,
  notes: order.notes,
  created_at: order.created_at.toISOString(),
  updated_at: order.updated_at.toISOString()
})
