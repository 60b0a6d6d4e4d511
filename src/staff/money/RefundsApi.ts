import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { OrderId } from "../../orders/Order.ts"
import { OrderRefundId, RefundDestination, RefundKind } from "../../orders/refunds/OrderRefund.ts"
import {
  MoreThanLeft,
  NotDelivered,
  NothingToReturn,
  NotWhole,
  OrderBusy
} from "../../orders/refunds/OrderRefundErrors.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { RequestStatus } from "../../wallet/adjustments/Adjustment.ts"
import { KeyReused, MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import { GatewayCannotRefund, MoreThanPaid } from "../../wallet/refunds/GatewayRefundErrors.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { MovesMoney, RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { reasons, undecided } from "./AdjustmentsApi.ts"
import * as MoneyText from "./MoneyText.ts"
import { PreviewView, RefundView } from "./RefundView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const success = StaffActionApi.replayable(RefundView)
const unagreed = [MoneyRecordNotFound, MoreThanLeft, NotDelivered, NothingToReturn, NotWhole, OrderBusy] as const
const failures = [...unagreed, ActionKeyReused, GatewayCannotRefund, KeyReused, MoreThanPaid] as const
const params = { refund_id: OrderRefundId }

/** The choices of a person for a refund. */
const NewRefund = Schema.Struct({
  kind: RefundKind.annotate({
    description:
      "`whole` undoes the order and ends its proxy; `amount` returns the given amount; `prorata` returns the part for what is left"
  }),
  destination: RefundDestination.pipe(Schema.withDecodingDefaultKey(Effect.succeed("wallet" as const))),
  amount: Schema.optionalKey(Schema.NullOr(MoneyText.Amount)).annotate({
    description: "For `amount` the amount, for `prorata` the amount of the preview"
  }),
  ends_service: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  ...reasons
})

const decision = <const Name extends "approve" | "decline">(name: Name) =>
  HttpApiEndpoint.post(`${name}Refund`, `/refunds/:refund_id/${name}`, {
    headers: StaffActionApi.headers,
    params,
    success,
    error: [...failures, ...undecided]
  })
    .annotate(RequiredPermission, "refund.approve")
    .annotate(MovesMoney, true)

export class RefundsApi extends HttpApiGroup.make("adminRefunds")
  .add(
    HttpApiEndpoint.get("previewRefund", "/orders/:order_id/refund-preview", {
      params: { order_id: OrderId },
      success: PreviewView,
      error: unagreed
    })
      .annotate(RequiredPermission, "refund.read")
      .annotateMerge(
        described(
          "Preview a refund",
          "Returns what was paid for an order, what was returned, and the part for what is left."
        )
      ),

    HttpApiEndpoint.post("rehearseRefund", "/orders/:order_id/refund-rehearsal", {
      params: { order_id: OrderId },
      payload: NewRefund,
      success: RefundView,
      error: [...failures, RequestInvalid]
    })
      .annotate(RequiredPermission, "refund.create")
      .annotateMerge(
        described(
          "Rehearse a refund",
          "Answers what the refund would be, and changes nothing: `booked`, or `requested` when it needs a second person."
        )
      ),

    HttpApiEndpoint.post("createRefund", "/orders/:order_id/refunds", {
      headers: StaffActionApi.headers,
      params: { order_id: OrderId },
      payload: NewRefund,
      success,
      error: [...failures, RequestInvalid]
    })
      .annotate(RequiredPermission, "refund.create")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Refund an order",
          "Returns money of a delivered order to the wallet, or to the card that it came from. Answers `requested` when the " +
            "amount is above the limits of your role: then a second person decides within 72 hours."
        )
      ),

    HttpApiEndpoint.get("listRefunds", "/refunds", {
      query: {
        ...Keyset.query,
        order_id: Schema.optionalKey(OrderId.annotate({ description: "Only those of this order" })),
        user_id: Schema.optionalKey(UserId.annotate({ description: "Only those of this customer" })),
        status: Schema.optionalKey(RequestStatus)
      },
      success: Keyset.view(RefundView).annotate({ identifier: "OrderRefundPage" })
    })
      .annotate(RequiredPermission, "refund.read")
      .annotateMerge(
        described(
          "List refunds",
          "Refunds of orders by staff, the newest first; with the status `requested`, the oldest first."
        )
      ),

    HttpApiEndpoint.get("getRefund", "/refunds/:refund_id", {
      params,
      success: RefundView,
      error: [MoneyRecordNotFound]
    })
      .annotate(RequiredPermission, "refund.read")
      .annotateMerge(described("Get a refund", "Returns a refund of an order, and who agreed.")),

    decision("approve").annotateMerge(
      described("Approve a refund", "Books a refund that another person requested. The share is that of the request.")
    ),
    decision("decline").annotateMerge(described("Decline a refund", "Ends a request. Nothing is booked.")),

    HttpApiEndpoint.post("retryRefund", "/refunds/:refund_id/retry", {
      headers: StaffActionApi.headers,
      params,
      success,
      error: failures
    })
      .annotate(RequiredPermission, "refund.return")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Retry a refund",
          "Looks up what is unknown, ends the proxy, and sends money that the card did not take once more from the wallet."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Refunds")
  .annotate(OpenApi.Description, "Refunds of delivered orders: whole, in part, or for what is left of them.") {}
