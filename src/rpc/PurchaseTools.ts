import { Schema, Struct } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { ProxyKind } from "../catalog/Offer.ts"
import { OrderCounts } from "../orders/OrderCounts.ts"
import { OrderRequest, takenCurrency } from "../orders/checkout/OrderRequest.ts"
import { OrderView } from "../orders/OrderView.ts"
import { PromoCodePreview } from "../orders/checkout/PromoCodePreview.ts"
import { QuoteView } from "../orders/checkout/QuoteView.ts"
import { Currency } from "../platform/Money.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { withDefault } from "../platform/fields/WithDefault.ts"
import { reads, replaces, tool } from "./ToolAnnotations.ts"
import { offer_id, order_id, period_days, tarification_index } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const quoteProxyOrder = Rpc.make("quote_proxy_order", {
  payload: Schema.Struct({
    ...Struct.omit(OrderRequest.fields, ["idempotency_key"]),
    offer_id,
    period_days: period_days(3660)
  }).check(takenCurrency),
  success: QuoteView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Quote an order",
    description:
      "Answers what an order would cost, beside the account's wallets. Free, charges nothing and uses up nothing. It takes everything an order of the REST API takes, such as a traffic limit, a city or another protocol; create_proxy_order takes the common part and has a dry run of its own. 400 or 422: the offer is not sold like that; the answer says what is. 404: no such offer. 409 out_of_stock: choose another offer.",
    hints: reads,
    scope: "full-access"
  })
)

const previewPromoCode = Rpc.make("preview_promo_code", {
  payload: {
    code: Text(1, 100).annotate({ description: "The promo code, in any case" }),
    offer_id,
    quantity: withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
      1,
      "How many proxies the order would have"
    ),
    period_days: period_days(3660),
    tarification_index: optional(tarification_index, { description: "As in create_proxy_order" }),
    currency: withDefault(Currency, "USD", "The currency to pay in")
  },
  success: PromoCodePreview,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Preview a promo code",
    description:
      "Answers what a promo code takes off an order. Free, and uses nothing up; give the code as `promo_code` to create_proxy_order to use it. 422: the code cannot be used for this order; the answer says why (unknown, expired, used up, not for this offer).",
    hints: reads,
    scope: "full-access"
  })
)

const countMyOrders = Rpc.make("count_my_orders", {
  payload: {
    proxy_type: optional(ProxyKind, { description: "Counts one kind of proxy only" })
  },
  success: OrderCounts,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Count my orders",
    description:
      "Counts the account's proxies that are active, expiring (little of their time remains) and expired; `total` counts all orders, whatever became of them. Free. list_my_orders lists them.",
    hints: reads,
    scope: "full-access"
  })
)

const cancelOrder = Rpc.make("cancel_order", {
  payload: { order_id },
  success: OrderView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Cancel a waiting order",
    description:
      "Gives up an order that waits for its payment (status waiting_payment), and with it every order of the same payment_intent_id: they are paid together or not at all. Free; nothing was charged, and a payment made all the same is credited to the wallet. An order that is paid cannot be cancelled. 400: the order does not wait (any more). 404 or 403: it is not one of the account's orders.",
    hints: replaces,
    scope: "full-access"
  })
)

/** Around buying: what it would cost, and taking back what was not paid. */
export const PurchaseTools = RpcGroup.make(quoteProxyOrder, previewPromoCode, countMyOrders, cancelOrder).middleware(
  ToolCaller
)
