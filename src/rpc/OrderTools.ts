import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { IpVersion, OfferId, ProxyKind } from "../catalog/Offer.ts"
import { PaymentMethod } from "../orders/Order.ts"
import { OrderDetailsView } from "../orders/proxies/OrderDetailsView.ts"
import { takenCurrency } from "../orders/checkout/OrderRequest.ts"
import { OrderStatus } from "../orders/OrderStatus.ts"
import { OrderListView, OrderView } from "../orders/OrderView.ts"
import { TrafficUsageView } from "../orders/traffic/TrafficUsageView.ts"
import { Currency } from "../platform/Money.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"
import { bought, previewOf } from "./PreviewPurchase.ts"
import { reads, spends, tool } from "./ToolAnnotations.ts"
import {
  offer_id,
  order_id,
  page,
  period_days,
  purchase,
  response_format,
  tarification_index
} from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const orderErrors =
  "404: there is no such order; take the id from list_my_orders. 403: the order belongs to another account."

const listMyOrders = Rpc.make("list_my_orders", {
  payload: {
    status: optional(OrderStatus, {
      description:
        "Returns only orders in this status. `provisioned` means a delivered proxy that has not ended; ref://order-statuses explains the others"
    }),
    ...page(100, 50),
    response_format
  },
  success: Schema.Union([Schema.String, OrderListView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List my orders",
    description:
      "Lists the account's orders, newest first; one order is one proxy. Free. Each row has the order's id, status, product and end. While the proxy is live it also has host, port, username and password: treat these as secrets. csv has one row for each order; json returns {orders, total, limit, offset}, where total counts all matches. Use get_order for one order with its used traffic.",
    hints: reads,
    scope: "orders:read"
  })
)

const getOrder = Rpc.make("get_order", {
  payload: { order_id },
  success: OrderDetailsView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get an order",
    description: `Returns one order. Free. While its proxy is live, \`proxy_access\` has host, port, username, password, the traffic limit in GB (0 is unlimited) and the used traffic. For a mobile rotating order with a proxy the answer is the current state of the proxy (\`type\` mobile), with these fields at the top level and the exit address in \`current_ip\`. The service is still setting up an order in status \`paid\`: ask again in a few seconds. An order in \`waiting_payment\` waits for a person to pay at \`payment_info.payment_url\`. ${orderErrors} 503: the proxy's provider does not answer; try again.`,
    hints: reads,
    scope: "orders:read"
  })
)

const points =
  "points of one day each for the last 7 days (UTC, today last), in GB of 10^9 bytes: `used_delta_gb` is the traffic of the day, `used_total_gb` the traffic of the billing cycle until the end of that day, `total_limit_gb` the limit (0 is unlimited)"

const getMyTrafficSummary = Rpc.make("get_my_traffic_summary", {
  payload: { response_format },
  success: Schema.Union([Schema.String, TrafficUsageView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get my traffic",
    description: `Returns the traffic of all the account's proxies together: ${points}. Free. csv has one row for each point; json adds a summary with the total and the daily average. Use get_order_traffic for one proxy. 503: a provider does not answer; try again.`,
    hints: reads,
    scope: "orders:read"
  })
)

const getOrderTraffic = Rpc.make("get_order_traffic", {
  payload: { order_id },
  success: TrafficUsageView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get an order's traffic",
    description: `Returns the traffic of one proxy: a summary, and ${points}. Free. When the limit is nearly used, buy_proxy_bandwidth adds traffic. ${orderErrors} 503: the provider does not answer; try again.`,
    hints: reads,
    scope: "orders:read"
  })
)

/** The offer and the option that match a dry run. */
const MatchedOffer = Schema.Struct({
  id: OfferId,
  name: Schema.String,
  kind: ProxyKind,
  mode: Schema.String,
  ip_version: IpVersion,
  country_code: Schema.String,
  option: Schema.Struct({
    tarification_index: Schema.Int,
    period_days: Schema.Int,
    period_name: Schema.String,
    bandwidth_gb: Schema.NullOr(Schema.Finite).annotate({ description: "Included traffic in GB; null: unlimited" })
  })
})

const OrderPreview = previewOf({
  unit_price: Schema.Finite.annotate({ description: "Price of one proxy before a discount" }),
  quantity: Schema.Int,
  discount: Schema.Finite.annotate({ description: "Discount of the promo code" }),
  payment_method: PaymentMethod,
  offer: MatchedOffer
})

const CreatedOrders = Schema.Struct({
  ...bought,
  payment_url: Schema.NullOr(Schema.String).annotate({
    description: "Page where a person pays; null when the order is paid"
  }),
  orders: Schema.Array(OrderView)
})

const createProxyOrder = Rpc.make("create_proxy_order", {
  payload: Schema.Struct({
    offer_id,
    quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
      description: "Number of proxies. Each is a separate order; the service creates all of them or none"
    }),
    idempotency_key: purchase.idempotency_key,
    period_days: period_days(360),
    payment_method: PaymentMethod.annotate({
      description:
        "wallet: pays immediately from the account's balance. crypto_gateway, card_gateway, messenger_stars: a person pays at the payment_url in the answer"
    }),
    payment_currency: optional(Currency, {
      description:
        "The currency of the payment. The option must have a price in it; the dry run checks that. Default: STAR for messenger_stars, which takes no other, and USD for the rest"
    }),
    promo_code: optional(Text(1, 100), { description: "Promo code for a discount" }),
    auto_renew: withDefault(
      Schema.Boolean,
      false,
      "true: the service renews the proxies from the wallet before they end; set_auto_renew changes it later"
    ),
    tarification_index: optional(tarification_index, {
      description:
        "Zero-based position of an option in the offer's `options`. Required for offers of mode rotating, refused for others"
    }),
    confirm: purchase.confirm
  }).check(takenCurrency),
  success: Schema.Union([OrderPreview, CreatedOrders]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Order proxies",
    description:
      "Rents proxies. Spends money, and only with confirm=true. First call without it for a dry run: the answer has the matched offer, the total, the account's wallets and the next step. The price holds for 10 minutes. Show them to the person. Then call again with the same arguments, the same idempotency_key and confirm=true. If the wallet pays, the answer comes within 10 seconds and has the proxies' host, port, username and password in `orders[].proxy_access`. The service is still setting up an order in status `paid`: look at it with get_order. With the other payment methods the orders wait (`waiting_payment`) until a person pays at `payment_url`, at most 60 minutes. If the service cannot set up an order, the money returns to the wallet automatically. The proxies speak HTTP where the offer has it; change_proxy_protocol changes the protocol later. After a lost answer call again with the same idempotency_key: nothing is bought twice. 409 insufficient_balance: `details` has the price and the balance; a person must make a deposit. 409 out_of_stock: choose another offer. 409 offer_changed: the offer is another one since the dry run; repeat the dry run. 409 idempotency_key_reused: the key belongs to another purchase; use a new one. 409 request_still_running: the first call with the key is still running; call again with the key in a moment. 409 too_many_open_payments: earlier orders wait for their payment; a person must pay them, or wait until they expire. 400 or 422: the offer is not sold like that; the answer says what is sold. 404: no such offer; see list_offers. 403 daily_spend_limit_reached: the API key or the app may not spend more today. 403 email_not_verified: a person must verify the account's email, or claim an agent's account. 403 purchases_stopped: a payment was refunded or disputed, or the account is restricted; only the operator can help. 503: the payment method cannot be used; nothing was charged.",
    hints: spends,
    scope: "orders:write"
  })
)

export type NewOrder = Rpc.Payload<typeof createProxyOrder>

/** Orders: listing, traffic and purchase. */
export const OrderTools = RpcGroup.make(
  listMyOrders,
  getOrder,
  getMyTrafficSummary,
  getOrderTraffic,
  createProxyOrder
).middleware(ToolCaller)
