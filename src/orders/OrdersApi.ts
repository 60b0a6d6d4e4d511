import { Effect, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { OfferNotFound } from "../catalog/CatalogErrors.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import { headers, replayable } from "../idempotency/IdempotencyKeyApi.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import * as Page from "../platform/Page.ts"
import {
  PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  TooManyOpenPayments,
  TooManyUnpaidOrders
} from "../wallet/PaymentErrors.ts"
import {
  DailySpendLimitReached,
  EmailNotVerified,
  InsufficientBalance,
  PurchasesStopped
} from "../wallet/WalletErrors.ts"
import { OrderId } from "./Order.ts"
import { OrderDetails } from "./OrderDetails.ts"
import {
  OfferMismatch,
  OfferOutOfStock,
  OrderNotFound,
  OrderNotWaiting,
  OrderNotYours,
  ProviderDown,
  TrafficUnavailable
} from "./OrderErrors.ts"
import { OrderCounts } from "./OrderCounts.ts"
import { OrderFilter, ProxyFilter } from "./OrderFilter.ts"
import { OrderRequest } from "./OrderRequest.ts"
import { OrderList, OrderView } from "./OrderView.ts"
import { QuoteView } from "./QuoteView.ts"
import { TrafficPeriod } from "./TrafficPoints.ts"
import { TrafficUsageView } from "./TrafficUsageView.ts"

const params = { order_id: OrderId }

const period = TrafficPeriod.pipe(Schema.withDecodingDefaultKey(Effect.succeed("last_7d")))

const placementErrors = [OfferNotFound, OfferMismatch, OfferOutOfStock, RequestInvalid] as const

const points =
  "Hourly points for `last_24h`, daily ones for `last_7d` and `last_30d`, aligned to UTC hours and days, those without traffic among them. Traffic is what the built-in gateway metered, which shows within 5 seconds, or what the provider reports; a provider that reports none counts as 0. `503` while a provider does not answer."

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const Placed = replayable(Schema.Array(OrderView).pipe(HttpApiSchema.status(201)))

export class OrdersApi extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", "/", {
      headers,
      payload: OrderRequest,
      success: Placed,
      error: [
        ...placementErrors,
        InsufficientBalance,
        PurchasesStopped,
        DailySpendLimitReached,
        EmailNotVerified,
        PaymentMethodNotOffered,
        PaymentMethodUnavailable,
        TooManyOpenPayments,
        TooManyUnpaidOrders,
        IdempotencyKeyReused,
        RequestStillRunning
      ]
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Order proxies",
          "Creates `quantity` independent orders of one offer, all or none. `wallet` pays at once and answers within 10 seconds: orders still `paid` then are finished in the background. The other methods answer orders that are `waiting_payment`, all with the `payment_url` of one payment: paid in full within 60 minutes it is spent on them and they are provisioned, otherwise they become `cancelled`. Such a payment is rounded up to a whole cent; what it is more than the price stays in the wallet, and so does money that comes late, again or as too little. `422` also names a method that takes no such small amount; `409` also means that 20 of your payments wait to be made already, or that you asked for 500 orders and deposits within a day and did not pay. An order that cannot be provisioned is refunded to the wallet. `503` means that the payment method cannot be used and that nothing was created; when it is not offered here, `details.available` names those that are. `403` with `details.reason` `email_not_verified` means that this service sells only to accounts whose email is verified (`POST /auth/email/verify/resend` mails another token), and with `purchases_stopped` that a payment of yours was refunded or disputed. Send an idempotency key to make a retry safe: it answers the stored result with `Idempotency-Replayed: true`."
        )
      ),
    HttpApiEndpoint.post("quote", "/quote", { payload: OrderRequest, success: QuoteView, error: placementErrors })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Quote an order",
          "What the same body would cost as an order, for all of `quantity`; `total` is what is left to pay after the `discount` of the promo code. Charges nothing and uses up nothing."
        )
      ),
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...Page.query(100, 50),
        ...OrderFilter.fields
      },
      success: OrderList
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(described("List orders", "Your orders, newest first. `total` counts all matches.")),
    HttpApiEndpoint.get("counts", "/counts", {
      query: Struct.pick(ProxyFilter.fields, ["proxy_type"]),
      success: OrderCounts
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(described("Count orders", "Each number equals the `total` of the list with the same filter.")),
    HttpApiEndpoint.get("get", "/:order_id", {
      params,
      success: OrderDetails,
      error: [OrderNotFound, OrderNotYours, ProviderDown]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Get an order",
          "The order, with its proxy's address and credentials while the proxy is live. A mobile rotating order with a proxy is answered as the proxy's snapshot, read from the provider: `503` while the provider does not answer. Without a proxy it is answered like any other order, with its `payment_url`."
        )
      ),
    HttpApiEndpoint.post("cancel", "/:order_id/cancel", {
      params,
      success: OrderView,
      error: [OrderNotFound, OrderNotYours, OrderNotWaiting]
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Cancel a waiting order",
          "Gives up an order that waits for its payment, and with it all orders of the same `payment_intent_id`, which are paid together or not at all. Nothing was charged; a payment made all the same is credited to the wallet. `400` means that the order is not waiting (any more)."
        )
      ),
    HttpApiEndpoint.get("traffic", "/:order_id/traffic-usage", {
      params,
      query: { period },
      success: TrafficUsageView,
      error: [OrderNotFound, OrderNotYours, TrafficUnavailable]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Traffic of an order",
          `${points} \`used_total_gb\` is the counter of the cycle that ran when the point ended, \`total_limit_gb\` the proxy's limit at this moment.`
        )
      ),
    HttpApiEndpoint.get("trafficSummary", "/traffic-usage/summary", {
      query: { period, ...ProxyFilter.fields },
      success: TrafficUsageView,
      error: TrafficUnavailable
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Traffic of all proxies",
          `The sum over all your proxies that existed in the period, ended ones among them. ${points} \`used_total_gb\` and \`total_limit_gb\` are sums as well, the limit 0 as soon as one of the proxies is unlimited.`
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Orders", description: "Buying proxies and finding them again" })) {}
