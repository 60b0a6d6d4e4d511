import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { OfferNotFound } from "../../catalog/CatalogErrors.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { headers, replayable } from "../../idempotency/IdempotencyKeyApi.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import {
  PaymentMethodNotOffered,
  PaymentMethodUnavailable,
  TooManyOpenPayments,
  TooManyUnpaidOrders
} from "../../wallet/PaymentErrors.ts"
import {
  DailySpendLimitReached,
  EmailNotVerified,
  InsufficientBalance,
  PurchasesStopped
} from "../../wallet/WalletErrors.ts"
import { OrderId } from "../Order.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { ordersTag } from "../OrdersApi.ts"
import { OrderView } from "../OrderView.ts"
import { OfferMismatch, OfferOutOfStock, OrderNotWaiting } from "./CheckoutErrors.ts"
import { OrderRequest } from "./OrderRequest.ts"
import { QuoteView } from "./QuoteView.ts"

const placementErrors = [OfferNotFound, OfferMismatch, OfferOutOfStock, RequestInvalid] as const

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

const Placed = replayable(Schema.Array(OrderView).pipe(HttpApiSchema.status(201)))

/** From a request for proxies to orders that are paid for, or given up. */
export class CheckoutApi extends HttpApiGroup.make("checkout")
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
          "orders.create",
          "Order proxies",
          "Creates `quantity` independent orders of one offer, all or none. `wallet` pays at once and answers within 10 seconds: orders still `paid` then are finished in the background. The other methods answer orders that are `waiting_payment`, all with the `payment_url` of one payment: paid in full within 60 minutes it is spent on them and they are provisioned, otherwise they become `cancelled`. Such a payment is rounded up to a whole cent; what it is more than the price stays in the wallet, and so does money that comes late, again or as too little. `422` also names a method that takes no such small amount; `409` also means that 20 of your payments wait to be made already, or that you asked for 500 orders and deposits within a day and did not pay. An order that cannot be provisioned is refunded to the wallet. `503` means that the payment method cannot be used and that nothing was created; when it is not offered here, `details.available` names those that are. `403` with `details.reason` `email_not_verified` means that this service sells only to accounts whose email is verified (`POST /auth/email/verify/resend` mails another token), and with `purchases_stopped` that a payment of yours was refunded or disputed. Send an idempotency key to make a retry safe: it answers the stored result with `Idempotency-Replayed: true`."
        )
      ),
    HttpApiEndpoint.post("quote", "/quote", { payload: OrderRequest, success: QuoteView, error: placementErrors })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.quote",
          "Quote an order",
          "What the same body would cost as an order, for all of `quantity`; `total` is what is left to pay after the `discount` of the promo code. Charges nothing and uses up nothing."
        )
      ),
    HttpApiEndpoint.post("cancel", "/:order_id/cancel", {
      params: { order_id: OrderId },
      success: OrderView,
      error: [OrderNotFound, OrderNotYours, OrderNotWaiting]
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "orders.cancel",
          "Cancel a waiting order",
          "Gives up an order that waits for its payment, and with it all orders of the same `payment_intent_id`, which are paid together or not at all. Nothing was charged; a payment made all the same is credited to the wallet. `400` means that the order is not waiting (any more)."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
