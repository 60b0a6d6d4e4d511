import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { DisputeState } from "../../wallet/gateways/PaymentGateway.ts"
import { DisputeId } from "../../wallet/payments/Dispute.ts"
import { DisputeNotFound } from "../../wallet/payments/Disputes.ts"
import * as Keyset from "../Keyset.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { DisputeView } from "./DisputeView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class DisputesApi extends HttpApiGroup.make("adminDisputes")
  .add(
    HttpApiEndpoint.get("listDisputes", "/disputes", {
      query: {
        limit: Keyset.query.limit,
        after: Schema.optionalKey(DisputeId.annotate({ description: "`next` of the page before" })),
        user_id: Schema.optionalKey(UserId.annotate({ description: "Only those of this customer" })),
        state: Schema.optionalKey(DisputeState)
      },
      success: Keyset.view(DisputeView).annotate({ identifier: "DisputePage" })
    })
      .annotate(RequiredPermission, "dispute.read")
      .annotateMerge(
        described(
          "List disputes",
          "Disputes that the payment gateways reported, the newest first; with the state `needs_answer`, the oldest first. Answer them at the gateway."
        )
      ),

    HttpApiEndpoint.get("getDispute", "/disputes/:dispute_id", {
      params: { dispute_id: DisputeId },
      success: DisputeView,
      error: [DisputeNotFound]
    })
      .annotate(RequiredPermission, "dispute.read")
      .annotateMerge(described("Get a dispute", "Returns a dispute by its id at the gateway."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Disputes")
  .annotate(OpenApi.Description, "Payments that the bank of a customer takes back.") {}
