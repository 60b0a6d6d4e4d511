import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import { PayoutId, PayoutStatus } from "../../wallet/payouts/Payout.ts"
import { CustomerStopped, OwnCredit, PayoutMoved, PayoutNotFound } from "../../wallet/payouts/PayoutErrors.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { MovesMoney, RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { payoutFields } from "./PayoutFields.ts"
import { PayoutView } from "./PayoutView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const params = { payout_id: PayoutId }
const failures = [ActionKeyReused, PayoutMoved, PayoutNotFound, StepUpNeeded] as const
const { customer_text, reason, reference } = payoutFields
const keyed = { headers: StaffActionApi.headers, params, success: StaffActionApi.replayable(PayoutView) }

export class PayoutsApi extends HttpApiGroup.make("adminPayouts")
  .add(
    HttpApiEndpoint.get("listPayouts", "/payouts", {
      query: {
        ...Keyset.query,
        user_id: Schema.optionalKey(UserId.annotate({ description: "Only those of this customer" })),
        status: Schema.optionalKey(PayoutStatus)
      },
      success: Keyset.view(PayoutView).annotate({ identifier: "PayoutPage" })
    })
      .annotate(RequiredPermission, "payout.read")
      .annotateMerge(
        described(
          "List withdrawals",
          "Withdrawals that customers ask for, the newest first; with the status `requested` or `approved`, the oldest first."
        )
      ),

    HttpApiEndpoint.get("getPayout", "/payouts/:payout_id", { params, success: PayoutView, error: [PayoutNotFound] })
      .annotate(RequiredPermission, "payout.read")
      .annotateMerge(described("Get a withdrawal", "Returns a withdrawal, and who settled it.")),

    HttpApiEndpoint.post("approvePayout", "/payouts/:payout_id/approve", {
      ...keyed,
      payload: Schema.Struct({ reason }),
      error: [...failures, CustomerStopped, LimitReached, OwnCredit]
    })
      .annotate(RequiredPermission, "payout.settle")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Approve a withdrawal",
          "Says that the money may be sent. Refused while a restriction or a dispute stops the customer, above the limits of your role, and for 30 days after you made or decided a credit or a refund to the wallet of the customer."
        )
      ),

    HttpApiEndpoint.post("sendPayout", "/payouts/:payout_id/sent", {
      ...keyed,
      payload: Schema.Struct({
        reference,
        reason
      }),
      error: [...failures, CustomerStopped]
    })
      .annotate(RequiredPermission, "payout.settle")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Mark a withdrawal as sent",
          "Says by which transfer you sent the money of an approved withdrawal. It is final. Refused while a restriction or a dispute stops the customer."
        )
      ),

    HttpApiEndpoint.post("declinePayout", "/payouts/:payout_id/decline", {
      ...keyed,
      payload: Schema.Struct({
        customer_text,
        reason
      }),
      error: failures
    })
      .annotate(RequiredPermission, "payout.settle")
      .annotate(MovesMoney, true)
      .annotateMerge(described("Decline a withdrawal", "Returns the money to the wallet and tells the customer why."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Withdrawals")
  .annotate(OpenApi.Description, "Money of wallets that customers ask for. Staff send it by hand.") {}
