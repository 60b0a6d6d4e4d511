import { Effect } from "effect"
import { Caller } from "../accounts/Caller.ts"
import * as ReadOrderDetails from "../orders/proxies/ReadOrderDetails.ts"
import { OrderPlacement, type Quote } from "../orders/checkout/OrderPlacement.ts"
import type { WantedOrder } from "../orders/checkout/OrderRequest.ts"
import { Orders } from "../orders/Orders.ts"
import { listedOrderView, type ListedOrderView } from "../orders/OrderView.ts"
import { TrafficUsage } from "../orders/traffic/TrafficUsage.ts"
import * as Money from "../platform/Money.ts"
import { csv } from "../platform/Csv.ts"
import { type NewOrder, OrderTools } from "./OrderTools.ts"
import * as PreviewPurchase from "./PreviewPurchase.ts"
import { chosen } from "./ToolArguments.ts"
import { asTool } from "./ToolFailure.ts"

const orderColumns = [
  "id",
  "status",
  "proxy_status",
  "proxy_type",
  "country",
  "ip_version",
  "protocol",
  "period_days",
  "total_usd",
  "auto_renew",
  "expires_at",
  "host",
  "port",
  "username",
  "password",
  "payment_method",
  "payment_url",
  "notes",
  "created_at"
] as const

/** One order is one proxy, so both fit into one row. */
const orderRow = ({ payment_info, proxy_access: [access], ...order }: ListedOrderView) => ({
  ...order,
  ...payment_info,
  host: access?.host,
  port: access?.port,
  username: access?.username,
  password: access?.password
})

const pointColumns = ["timestamp", "used_delta_gb", "used_total_gb", "total_limit_gb"] as const
const period = "last_7d"

/** The matched offer of a dry run. */
const matched = ({ discount, offer, quantity, terms }: Quote) => {
  const { currency, option, tarification_index, unit_price } = terms
  return {
    unit_price: Money.toNumber(currency, unit_price),
    quantity,
    discount: Money.toNumber(currency, discount),
    offer: {
      id: offer.id,
      name: offer.name,
      kind: offer.kind,
      mode: offer.mode,
      ip_version: offer.ip_version,
      country_code: offer.country_code,
      option: {
        tarification_index,
        period_days: option.period_days,
        period_name: option.period_name,
        bandwidth_gb: terms.bandwidth_gb
      }
    }
  }
}

const makePurchase = Effect.gen(function* () {
  const placement = yield* OrderPlacement
  const { fromWallet, outside } = yield* PreviewPurchase.make

  const preview = Effect.fnUntraced(function* (caller: Caller["Service"], request: WantedOrder) {
    const { payment_method } = request
    const quote = yield* placement.quote(caller, request)
    const { quantity, terms, total, total_usd } = quote
    const pay = payment_method === "wallet" ? fromWallet : outside
    const price = { total, total_usd, currency: terms.currency, quantity, fromVerified: true }
    const cost = yield* pay(caller, { tool: "create_proxy_order", ...price })
    return { ...cost, payment_method, ...matched(quote) }
  })

  return Effect.fnUntraced(function* ({ confirm, idempotency_key, ...order }: NewOrder) {
    const caller = yield* Caller
    const request = chosen(order)
    if (!confirm) return yield* preview(caller, request)
    // `POST /orders` shares the idempotency keys: the same key and order through either way buys once.
    const { orders, replayed } = yield* Effect.uninterruptible(placement.place(caller, request, idempotency_key))
    return {
      dry_run: false as const,
      replayed,
      payment_url: orders[0]?.payment_info.payment_url ?? null,
      orders
    }
  }, asTool)
})

export const layer = OrderTools.toLayer(
  Effect.gen(function* () {
    const orders = yield* Orders
    const readDetails = yield* ReadOrderDetails.make
    const traffic = yield* TrafficUsage
    const purchase = yield* makePurchase

    return OrderTools.of({
      create_proxy_order: purchase,
      list_my_orders: Effect.fnUntraced(function* ({ limit, offset, response_format, ...filter }) {
        const { user_id } = yield* Caller
        const found = yield* orders.list(user_id, filter, { limit, offset })
        const rows = found.orders.map(listedOrderView)
        if (response_format === "csv") return yield* csv(orderColumns, rows.map(orderRow))
        return { orders: rows, total: found.total, limit, offset }
      }),
      get_order: Effect.fnUntraced(function* ({ order_id }) {
        return yield* readDetails((yield* Caller).user_id, order_id)
      }, asTool),
      get_my_traffic_summary: Effect.fnUntraced(function* ({ response_format }) {
        const usage = yield* traffic.ofUser((yield* Caller).user_id, period, {})
        return response_format === "csv" ? yield* csv(pointColumns, usage.points) : usage
      }, asTool),
      get_order_traffic: Effect.fnUntraced(function* ({ order_id }) {
        return yield* traffic.ofOrder(yield* orders.get((yield* Caller).user_id, order_id), period)
      }, asTool)
    })
  })
)
