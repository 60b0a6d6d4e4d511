import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Money from "../../platform/Money.ts"
import { AdjustmentId, CustomerText, Reason, ReasonCode, RequestStatus } from "../../wallet/adjustments/Adjustment.ts"
import {
  AlreadyDecided,
  BalanceTooLow,
  CustomerNotFound,
  KeyReused,
  MayNotDecide,
  MoneyRecordNotFound,
  NothingToRevoke,
  SelfApproval
} from "../../wallet/adjustments/MoneyErrors.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { MovesMoney, RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { AdjustmentView } from "./AdjustmentView.ts"
import * as MoneyText from "./MoneyText.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** The fields of every action that moves money. */
export const reasons = {
  reason_code: ReasonCode.annotate({ description: "A short name of the reason, for reports", examples: ["outage"] }),
  reason: Reason.annotate({
    description: "The reason for colleagues and for the audit log",
    examples: ["Down for a day"]
  }),
  customer_text: Schema.optionalKey(
    Schema.NullOr(
      CustomerText.annotate({ description: "The description that the customer reads; a default when absent" })
    )
  )
}

/** The failures of a decision about a request. */
export const undecided = [AlreadyDecided, MayNotDecide, SelfApproval, StepUpNeeded] as const

const currency = Money.Currency.pipe(Schema.withDecodingDefaultKey(Effect.succeed("USD" as const)))
const success = StaffActionApi.replayable(AdjustmentView)
const failures = [
  ActionKeyReused,
  BalanceTooLow,
  CustomerNotFound,
  KeyReused,
  MoneyRecordNotFound,
  NothingToRevoke,
  RequestInvalid
] as const
const params = { adjustment_id: AdjustmentId }

const decision = <const Name extends "approve" | "decline">(name: Name) =>
  HttpApiEndpoint.post(`${name}Adjustment`, `/adjustments/:adjustment_id/${name}`, {
    headers: StaffActionApi.headers,
    params,
    success,
    error: [...failures, ...undecided]
  })
    .annotate(RequiredPermission, "adjustment.approve")
    .annotate(MovesMoney, true)

export class AdjustmentsApi extends HttpApiGroup.make("adminAdjustments")
  .add(
    HttpApiEndpoint.get("listAdjustments", "/adjustments", {
      query: {
        ...Keyset.query,
        user_id: Schema.optionalKey(UserId.annotate({ description: "Only those of this customer" })),
        status: Schema.optionalKey(RequestStatus)
      },
      success: Keyset.view(AdjustmentView).annotate({ identifier: "AdjustmentPage" })
    })
      .annotate(RequiredPermission, "adjustment.read")
      .annotateMerge(
        described(
          "List credits and debits",
          "Credits and debits by staff, the newest first; with the status `requested`, the oldest first."
        )
      ),

    HttpApiEndpoint.get("getAdjustment", "/adjustments/:adjustment_id", {
      params,
      success: AdjustmentView,
      error: [MoneyRecordNotFound]
    })
      .annotate(RequiredPermission, "adjustment.read")
      .annotateMerge(described("Get a credit or debit", "Returns a credit or debit by staff, and who agreed.")),

    HttpApiEndpoint.post("createAdjustment", "/adjustments", {
      headers: StaffActionApi.headers,
      payload: Schema.Struct({
        kind: Schema.Literals(["goodwill", "credit", "debit"]).annotate({
          description: "`goodwill` gives money; `credit` and `debit` correct a balance"
        }),
        user_id: UserId,
        currency,
        amount: MoneyText.Amount,
        order_id: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isUUID()))),
        ...reasons
      }),
      success,
      error: failures
    })
      .annotate(RequiredPermission, "adjustment.goodwill")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Credit or debit a wallet",
          "Books immediately, or answers `requested` when the amount is above the limits of your role: then a second person " +
            "decides within 72 hours. A debit takes at most the balance."
        )
      ),

    HttpApiEndpoint.post("revokeAdjustment", "/adjustments/:adjustment_id/revoke", {
      headers: StaffActionApi.headers,
      params,
      payload: Schema.Struct({ amount: Schema.optionalKey(Schema.NullOr(MoneyText.Amount)), ...reasons }),
      success,
      error: failures
    })
      .annotate(RequiredPermission, "adjustment.correct")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described("Take a goodwill credit back", "Takes back all that is left of the credit, or the given amount.")
      ),

    decision("approve").annotateMerge(
      described("Approve a request", "Books a credit or debit that another person requested.")
    ),
    decision("decline").annotateMerge(described("Decline a request", "Ends a request. Nothing is booked."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Credits and debits")
  .annotate(OpenApi.Description, "Money that staff credit to wallets or debit from them.") {}
