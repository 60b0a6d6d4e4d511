import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { IpVersion, OfferId, ProxyKind } from "../catalog/Offer.ts"
import { PaymentMethod } from "../orders/Order.ts"
import { OrderDetails } from "../orders/proxies/OrderDetails.ts"
import { takenCurrency } from "../orders/checkout/OrderRequest.ts"
import { OrderStatus } from "../orders/OrderStatus.ts"
import { OrderList, OrderView } from "../orders/OrderView.ts"
import { TrafficUsageView } from "../orders/traffic/TrafficUsageView.ts"
import { Currency } from "../platform/Money.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"
import { bought, previewOf } from "./Preview.ts"
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
        "Keeps orders in this status. Proxies that were handed out and have not ended are `provisioned`; the others are told in ref://order-statuses"
    }),
    ...page(100, 50),
    response_format
  },
  success: Schema.Union([Schema.String, OrderList]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List my orders",
    description:
      "Lists the account's orders, newest first; one order is one proxy. Free. Each row tells the order's id and status, what was bought, when it ends and, while the proxy is live, its host, port, username and password: treat those as secrets. csv has one row for each order; json answers {orders, total, limit, offset}, where total counts all matches. Use get_order for one order with its traffic so far.",
    hints: reads,
    scope: "orders:read"
  })
)

const getOrder = Rpc.make("get_order", {
  payload: { order_id },
  success: OrderDetails,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get an order",
    description: `Answers one order. Free. While its proxy is live, \`proxy_access\` has the host, port, username and password to use it with, what traffic is included (0 is unlimited) and how much is used. A mobile rotating order with a proxy is answered as the proxy's state at this moment (\`type\` mobile), with these fields at the top and its current exit address in \`current_ip\`. An order in status \`paid\` is still being set up: ask again in a few seconds; \`waiting_payment\` waits for a person to pay at \`payment_info.payment_url\`. ${orderErrors} 503: the proxy's provider does not answer right now; try again.`,
    hints: reads,
    scope: "orders:read"
  })
)

const points =
  "points of one day each for the last 7 days (UTC, today last), in GB of 10^9 bytes: `used_delta_gb` is the traffic of the day, `used_total_gb` what the billing cycle had used by its end, `total_limit_gb` the limit (0 is unlimited)"

const getMyTrafficSummary = Rpc.make("get_my_traffic_summary", {
  payload: { response_format },
  success: Schema.Union([Schema.String, TrafficUsageView]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Get my traffic",
    description: `Answers the traffic of all the account's proxies together: ${points}. Free. csv has one row for each point; json adds a summary with the total and the average of a day. Use get_order_traffic for one proxy. 503: a provider does not answer right now; try again.`,
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
    description: `Answers the traffic of one proxy: a summary, and ${points}. Free. When the limit is nearly used, buy_proxy_bandwidth adds traffic. ${orderErrors} 503: the provider does not answer right now; try again.`,
    hints: reads,
    scope: "orders:read"
  })
)

/** What an order in preparation would be made from. */
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
  unit_price: Schema.Finite.annotate({ description: "Of one proxy, before any discount" }),
  quantity: Schema.Int,
  discount: Schema.Finite.annotate({ description: "What the promo code takes off" }),
  payment_method: PaymentMethod,
  offer: MatchedOffer
})

const CreatedOrders = Schema.Struct({
  ...bought,
  payment_url: Schema.NullOr(Schema.String).annotate({ description: "Where a person pays; null: paid already" }),
  orders: Schema.Array(OrderView)
})

const createProxyOrder = Rpc.make("create_proxy_order", {
  payload: Schema.Struct({
    offer_id,
    quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
      description: "How many proxies; each becomes an order of its own, all of them or none"
    }),
    idempotency_key: purchase.idempotency_key,
    period_days: period_days(360),
    payment_method: PaymentMethod.annotate({
      description:
        "wallet: pays at once from the account's balance. crypto_gateway, card_gateway, messenger_stars: the answer has a payment_url, where a person pays"
    }),
    payment_currency: optional(Currency, {
      description:
        "The currency to pay in; only options with a price in it can be bought, which the dry run tells. Left out: STAR for messenger_stars, which takes no other, and USD for the rest"
    }),
    promo_code: optional(Text(1, 100), { description: "Takes something off the price" }),
    auto_renew: withDefault(
      Schema.Boolean,
      false,
      "true: the proxies renew themselves from the wallet before they end; set_auto_renew changes it later"
    ),
    tarification_index: optional(tarification_index, {
      description:
        "The zero-based position of an option in the offer's `options`: required for offers of mode rotating, refused for others"
    }),
    confirm: purchase.confirm
  }).check(takenCurrency),
  success: Schema.Union([OrderPreview, CreatedOrders]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Order proxies",
    description:
      "Rents proxies. Spends money, and only with confirm=true: first call without it for a dry run, which answers the matched offer, the total, the account's wallets and the next step; show that to the person; then call again with the same arguments, the same idempotency_key and confirm=true. Paid from the wallet, the answer comes within 10 seconds and has the proxies' host, port, username and password in `orders[].proxy_access`; an order still `paid` is being set up, look at it with get_order. With the other payment methods the orders wait (`waiting_payment`) until a person pays at `payment_url`, at most 60 minutes. An order that cannot be set up is refunded to the wallet by itself. The proxies speak HTTP where the offer has it; change_proxy_protocol changes that afterwards. After a lost answer call again with the same idempotency_key: nothing is bought twice. 409 insufficient_balance: `details` has the price and the balance; a person must make a deposit. 409 out_of_stock: choose another offer. 409 idempotency_key_reused: the key belongs to another purchase; use a fresh one. 409 request_still_running: the first call with the key is at work; call again with it in a moment. 409 too_many_open_payments: earlier orders wait for their payment; have them paid or wait until they end. 400 or 422: the offer is not sold like that; the answer says what is. 404: no such offer; see list_offers. 403 daily_spend_limit_reached: the API key may not spend more today. 403 email_not_verified: a person must verify the account's email, or claim an agent's account. 403 purchases_stopped: a payment was refunded or disputed; only the operator can help. 503: the payment method cannot be used; nothing was charged.",
    hints: spends,
    scope: "orders:write"
  })
)

export type NewOrder = Rpc.Payload<typeof createProxyOrder>

/** Orders and what they use; and the making of them. */
export const OrderTools = RpcGroup.make(
  listMyOrders,
  getOrder,
  getMyTrafficSummary,
  getOrderTraffic,
  createProxyOrder
).middleware(ToolCaller)
