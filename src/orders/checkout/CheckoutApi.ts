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
import { OfferChanged, OrderNotFound, OrderNotYours, PriceChanged } from "../OrderErrors.ts"
import { ordersTag } from "../OrdersApi.ts"
import { OrderView } from "../OrderView.ts"
import { OfferMismatch, OfferOutOfStock, OrderNotWaiting } from "./CheckoutErrors.ts"
import { OrderRequest } from "./OrderRequest.ts"
import { QuoteView } from "./QuoteView.ts"

const placementErrors = [OfferNotFound, OfferMismatch, OfferOutOfStock, RequestInvalid] as const

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

const Placed = replayable(Schema.Array(OrderView).pipe(HttpApiSchema.status(201)))

const createDescription = `Creates \`quantity\` independent orders of one offer, all or none.

If the account asked for a quote of the same offer, option and currency within the last 10 minutes, the order pays the quoted price or the present price, whichever is lower. If the offer no longer has the quoted option, the order is refused (\`409\` with \`details.reason\` \`offer_changed\`): ask for the price again.

Payment method \`wallet\` charges immediately and answers within 10 seconds. The service provisions the remaining \`paid\` orders in the background.

The other payment methods answer orders in status \`waiting_payment\`, which share one payment and its \`payment_url\`. Pay the full amount within 60 minutes, and the service provisions the orders; otherwise they become \`cancelled\`. The amount is rounded up to a whole cent. The wallet keeps the difference to the price, and also any payment that is late, repeated or too small.

If the service cannot provision an order, the money returns to the wallet.

Send an idempotency key to make a retry safe. A retry returns the stored result with \`Idempotency-Replayed: true\`.

Further errors:
- \`403\` with \`details.reason\` \`email_not_verified\`: this service sells only to accounts with a verified email. \`POST /auth/email/verify/resend\` mails another token.
- \`403\` with \`details.reason\` \`purchases_stopped\`: one of your payments was refunded or disputed, or the operator has restricted the account.
- \`409\` with \`details.reason\` \`price_changed\`: the price is not your \`expected_total\`; nothing was charged.
- \`409\`: 20 of your payments are still open, or you asked for 500 orders and deposits within a day without paying.
- \`422\`: the payment method does not take such a small amount.
- \`503\`: the payment method cannot be used now; nothing was created. If this service does not offer the method, \`details.available\` lists the methods that it offers.`

/** Order proxies, quote an order, cancel an unpaid order. */
export class CheckoutApi extends HttpApiGroup.make("checkout")
  .add(
    HttpApiEndpoint.post("create", "/", {
      headers,
      payload: OrderRequest,
      success: Placed,
      error: [
        ...placementErrors,
        PriceChanged,
        OfferChanged,
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
      .annotateMerge(described("orders.create", "Order proxies", createDescription)),
    HttpApiEndpoint.post("quote", "/quote", { payload: OrderRequest, success: QuoteView, error: placementErrors })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.quote",
          "Quote an order",
          "Prices an order; the body is that of `POST /orders`. `total` is the price of all `quantity` proxies after the `discount` of the promo code. Charges nothing and does not use the promo code. The quote holds for 10 minutes: an order of the account for the same offer, option and currency then pays at most this price for each proxy and each extra GB. It reserves no stock. The last quote counts."
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
          "Cancels an order in status `waiting_payment`. Also cancels all other orders of the same `payment_intent_id`, because one payment pays for all of them. Nothing was charged; a payment that still arrives is credited to the wallet. `400`: the order does not wait for a payment."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
