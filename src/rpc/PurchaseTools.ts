import { Schema, Struct } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { ProxyKind } from "../catalog/Offer.ts"
import { OrderCounts } from "../orders/OrderCounts.ts"
import { OrderRequest, takenCurrency } from "../orders/checkout/OrderRequest.ts"
import { OrderView } from "../orders/OrderView.ts"
import { PromoCodePreviewView } from "../orders/checkout/PromoCodePreviewView.ts"
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
      "Returns the price of an order and the account's wallets. The price holds for 10 minutes. Free: it charges nothing and uses up no promo code. It takes every argument of an order in the REST API, such as a traffic limit, a city or another protocol; create_proxy_order takes the common ones and has its own dry run. 400 or 422: the offer is not sold like that; the answer says what is sold. 404: no such offer. 409 out_of_stock: choose another offer.",
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
      "Number of proxies in the order"
    ),
    period_days: period_days(3660),
    tarification_index: optional(tarification_index, { description: "As in create_proxy_order" }),
    currency: withDefault(Currency, "USD", "The currency of the payment")
  },
  success: PromoCodePreviewView,
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "Preview a promo code",
    description:
      "Returns the discount of a promo code for an order. Free, and it does not use up the code: pass the code as `promo_code` to create_proxy_order to use it. 422: the code is not valid for this order; the answer says why (unknown, expired, used up, not for this offer).",
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
      "Counts the account's proxies that are active, expiring (little time remains) and expired. `total` counts all orders in every status. Free. list_my_orders lists them.",
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
      "Cancels an order that waits for its payment (status waiting_payment) together with every order of the same payment_intent_id, because one payment pays all of them. Free. The service credits a payment that still arrives to the wallet. A paid order cannot be cancelled. 400: the order does not wait for a payment. 404 or 403: it is not one of the account's orders.",
    hints: replaces,
    scope: "full-access"
  })
)

/** Prices before a purchase, and the cancellation of unpaid orders. */
export const PurchaseTools = RpcGroup.make(quoteProxyOrder, previewPromoCode, countMyOrders, cancelOrder).middleware(
  ToolCaller
)
