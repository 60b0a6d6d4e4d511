import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { CallbackNotChecked, CallbackRefused, CallbackTooLarge, CallbackUnexpected } from "../PaymentErrors.ts"
import { PaymentMethod } from "../PaymentMethod.ts"

/** Documents the body. The handler passes the raw bytes on, because the signature covers them. */
const Call = Schema.Record(Schema.String, Schema.Json).annotate({
  description:
    "The event in the gateway's own format: an event of Stripe, a webhook delivery of BTCPay Server, an instant payment " +
    "notification of NOWPayments, or an update of Telegram",
  examples: [
    {
      deliveryId: "2mYfAVEzLyJ5pXQbLr9vJH",
      webhookId: "6GvCgJAZPUS4S5YnDxUQYN",
      isRedelivery: false,
      type: "InvoiceSettled",
      timestamp: 1_782_864_000,
      storeId: "9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776",
      invoiceId: "J4eZ1QmV6B7ZkPxXk7FQbQ"
    }
  ]
})

export class PaymentCallbacksApi extends HttpApiGroup.make("payment-callbacks")
  .add(
    HttpApiEndpoint.post("receiveCallback", "/payments/callbacks/:payment_method", {
      params: { payment_method: PaymentMethod },
      payload: Call,
      success: Schema.Struct({ received: Schema.Literal(true).annotate({ examples: [true] }) }),
      error: [CallbackRefused, CallbackUnexpected, CallbackNotChecked, CallbackTooLarge, RateLimited]
    })
      .annotate(OpenApi.Summary, "Report a payment")
      .annotate(
        OpenApi.Description,
        "A payment gateway calls this operation, in its own format and with its own signature; the body has at most 64 KiB. " +
          "A repeated call changes nothing. `401` means that the signature is missing or wrong. `404` means that no gateway " +
          "is configured for the method. In both cases nothing is changed. `503` means that a signed call could not be read or " +
          "confirmed with its gateway; the gateway sends it again later. Only refused calls count toward the rate limit."
      )
  )
  .annotate(OpenApi.Title, "Payment callbacks")
  .annotate(OpenApi.Description, "For payment gateways only.") {}
