import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OrderId } from "../../orders/Order.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import * as Keyset from "../Keyset.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { FoundOrderView } from "./FoundOrder.ts"
import { StaffOrderView } from "./StaffOrder.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"

/** The words by which orders are found. */
export const OrderWords = Text(1, 255).annotate({
  description:
    "Id of an order, of its customer, its payment, a ledger entry or a change; mail address; `ip:port` of a proxy; id of a payment at its gateway, or of a proxy at its provider",
  examples: ["203.0.113.6:21007"]
})

export class StaffOrdersApi extends HttpApiGroup.make("adminOrders")
  .add(
    HttpApiEndpoint.get("listOrders", "/orders", {
      query: { ...Keyset.query, q: optional(OrderWords) },
      success: Keyset.view(FoundOrderView).annotate({ identifier: "FoundOrderPage" })
    })
      .annotate(RequiredPermission, "order.read")
      .annotate(OpenApi.Summary, "Find orders")
      .annotate(OpenApi.Description, "Orders that `q` names exactly, or all, the newest first."),

    HttpApiEndpoint.get("getOrder", "/orders/:order_id", {
      params: { order_id: OrderId },
      success: StaffOrderView,
      error: StaffOrderNotFound
    })
      .annotate(RequiredPermission, "order.read")
      .annotate(OpenApi.Summary, "Show an order")
      .annotate(
        OpenApi.Description,
        "Shows what was ordered by whom, the price and the cost, and what happened: deliveries, payments with their callbacks, ledger entries, refunds, changes, work of staff, and restrictions of the customer."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Orders")
  .annotate(OpenApi.Description, "The orders of all customers, with what happened to them.") {}
