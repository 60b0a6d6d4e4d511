import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import { PaymentIntent, PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import { GatewayCannotTell, GatewaySilent } from "../../wallet/payments/PaymentLookUps.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { CallbackNotFound, StaffPaymentNotFound } from "./PaymentErrors.ts"
import { CallbackBodyView, FoundPaymentView, StaffPaymentView } from "./StaffPaymentView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const params = { payment_id: PaymentIntentId }

/** The words by which payments are found. */
export const PaymentWords = Text(1, 255).annotate({
  description:
    "Id of a payment, of its customer, its ledger entry or an order that it pays; mail address; id of a charge or a payment at its gateway",
  examples: ["pi_3PqXyz2eZvKYlo2C"]
})

export const LookUpReason = Text(3, 500).annotate({
  description: "The reason for colleagues and the audit log",
  examples: ["The customer says that it is paid"]
})

export class StaffPaymentsApi extends HttpApiGroup.make("adminPayments")
  .add(
    HttpApiEndpoint.get("listPayments", "/payments", {
      query: {
        ...Keyset.query,
        q: optional(PaymentWords),
        status: Schema.optionalKey(PaymentIntent.fields.status),
        payment_method: Schema.optionalKey(PaymentMethod),
        user_id: Schema.optionalKey(UserId.annotate({ description: "Only those of this customer" }))
      },
      success: Keyset.view(FoundPaymentView).annotate({ identifier: "FoundPaymentPage" })
    })
      .annotate(RequiredPermission, "payment.read")
      .annotateMerge(described("Find payments", "Payments from outside that fit all filters, the newest first.")),

    HttpApiEndpoint.get("getPayment", "/payments/:payment_id", {
      params,
      success: StaffPaymentView,
      error: StaffPaymentNotFound
    })
      .annotate(RequiredPermission, "payment.read")
      .annotateMerge(
        described(
          "Show a payment",
          "Returns a payment with its charges, the calls of its gateway and their outcomes, refunds, disputes, and the orders that it pays."
        )
      ),

    HttpApiEndpoint.post("lookUpPayment", "/payments/:payment_id/look-up", {
      headers: StaffActionApi.headers,
      params,
      payload: Schema.Struct({ reason: LookUpReason }),
      success: StaffActionApi.replayable(StaffPaymentView),
      error: [StaffPaymentNotFound, GatewayCannotTell, GatewaySilent, ActionKeyReused]
    })
      .annotate(RequiredPermission, "payment.look_up")
      .annotateMerge(
        described(
          "Look a payment up at its gateway",
          "Asks the gateway for the payment and for refunds and disputes of its charges, and books what is not on record yet. Answers the payment after that."
        )
      ),

    HttpApiEndpoint.get("getPaymentCallback", "/payment-callbacks/:callback_id", {
      params: { callback_id: Schema.String.check(Schema.isUUID()) },
      success: CallbackBodyView,
      error: CallbackNotFound
    })
      .annotate(RequiredPermission, "payment.body")
      .annotateMerge(
        described(
          "Show the raw call of a gateway",
          "Returns the body as the gateway sent it. The audit log records who has read it."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Payments")
  .annotate(OpenApi.Description, "Payments from outside, and what their gateways reported.") {}
