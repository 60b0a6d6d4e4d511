import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as CareErrors from "../../orders/care/CareErrors.ts"
import { daysAtMost } from "../../orders/changes/GiveChange.ts"
import { CannotExtend, TooMuchGiven } from "../../orders/changes/ProxyChangeErrors.ts"
import { OrderId } from "../../orders/Order.ts"
import { ProviderDown, ProxyBusy, ProxyNotLive } from "../../orders/proxies/ProxyErrors.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import { LimitReached } from "../../wallet/adjustments/MoneyErrors.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { MovesMoney, RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { OrderActionsView, OrderWorkView } from "./OrderWork.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"

/** The reason of an action, for colleagues and the audit log. */
export const WorkReason = Text(3, 500).annotate({
  description: "The reason for colleagues and the audit log",
  examples: ["The site blocks the address"]
})

export const GivenDays = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: daysAtMost })).annotate({
  description: "Days, for proxies of your own gateway",
  examples: [3]
})

const params = { order_id: OrderId }
const Because = Schema.Struct({ reason: WorkReason })
const success = StaffActionApi.replayable(OrderWorkView)
const error = [
  StaffOrderNotFound,
  ActionKeyReused,
  ProviderDown,
  ProxyBusy,
  ProxyNotLive,
  CannotExtend,
  CareErrors.CannotLookUp,
  CareErrors.CannotReplace,
  CareErrors.NoOtherAddress,
  CareErrors.NothingToRelease,
  CareErrors.NothingUnknown,
  CareErrors.NotRetryable,
  CareErrors.OutcomeUnknown,
  CareErrors.OwnerStopped,
  CareErrors.ReleaseByHand,
  LimitReached,
  TooMuchGiven
] as const

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const { headers } = StaffActionApi

/** An action that needs nothing but a reason. */
const work = <const Name extends string, const Path extends `/orders/:order_id/${string}`>(
  name: Name,
  path: Path,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, path, { headers, params, payload: Because, success, error })
    .annotate(RequiredPermission, "order.work")
    .annotateMerge(described(summary, description))

export class OrderWorkApi extends HttpApiGroup.make("adminOrderWork")
  .add(
    HttpApiEndpoint.get("getOrderActions", "/orders/:order_id/actions", {
      params,
      success: OrderActionsView,
      error: StaffOrderNotFound
    })
      .annotate(RequiredPermission, "order.read")
      .annotateMerge(
        described(
          "Show what can be done for an order",
          "Answers which actions are safe now, and why the others are not."
        )
      ),

    work(
      "retryOrder",
      "/orders/:order_id/retry",
      "Deliver an order now",
      "Asks the provider of a paid order at once, instead of at the next round. Refused while an earlier call may have delivered it."
    ),

    work(
      "lookUpOrder",
      "/orders/:order_id/look-up",
      "Look an order up at its provider",
      "Asks the provider what became of a delivery or a change whose outcome is unknown, and settles the order by the answer."
    ),

    work(
      "releaseOrder",
      "/orders/:order_id/release",
      "End a proxy",
      "Ends the customer's access for good and cancels the order. At a vendor the proxy itself runs to its end. Nothing is refunded, and the customer is told. Also releases a proxy that turned up for a refunded order."
    ),

    work(
      "replaceOrder",
      "/orders/:order_id/replace",
      "Replace a proxy",
      "Gives the order another exit address and another login at no charge. The old login ends at once; time and traffic stay, and the customer is told. Only your own gateway can do it."
    ),

    HttpApiEndpoint.post("extendOrder", "/orders/:order_id/extend", {
      headers,
      params,
      payload: Schema.Struct({
        reason: WorkReason,
        days: optional(GivenDays),
        months: optional(Schema.Literal(1), { description: "One month, for providers that sell whole months" })
      }).check(
        Schema.makeFilter(
          ({ days, months }) => (days === undefined) !== (months === undefined) || "needs either `days` or `months`"
        )
      ),
      success,
      error
    })
      .annotate(RequiredPermission, "order.work")
      .annotate(MovesMoney, true)
      .annotateMerge(
        described(
          "Give time",
          "Extends a proxy at no charge, by at most 31 days within 30 days for one order. Also needs the permission `adjustment.goodwill`. What the provider charges counts as a cost. The price of a month at a vendor counts in the limits of goodwill; above them the answer is `403 limit_reached`."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Work on orders")
  .annotate(
    OpenApi.Description,
    "What staff do for an order beside money. Each action is offered only while it is safe."
  ) {}
