import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { CallbackNotChecked, CallbackRefused, CallbackTooLarge, CallbackUnexpected } from "../PaymentErrors.ts"
import { PaymentMethod } from "../PaymentMethod.ts"

/** Documents the body. The handler passes the bytes on as they came, since these are signed. */
const Call = Schema.Record(Schema.String, Schema.Json).annotate({
  description:
    "The event as its gateway sends it: an event of Stripe, a webhook delivery of BTCPay Server, an instant payment " +
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
        "What a payment gateway calls, in its own format and with its own signature, of at most 64 KiB. The same call may " +
          "come any number of times and changes something once. `401` means that the signature is missing or wrong, and `404` " +
          "that no gateway is configured for the method: nothing was changed. `503` means that a signed call could not be " +
          "read or checked with its gateway, which is to send it again. Only calls that are refused count for a limit."
      )
  )
  .annotate(OpenApi.Title, "Payment callbacks")
  .annotate(OpenApi.Description, "For payment gateways only.") {}
