import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OrderId } from "../../orders/Order.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { StaffOrderView } from "./StaffOrder.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"

export class StaffOrdersApi extends HttpApiGroup.make("adminOrders")
  .add(
    HttpApiEndpoint.get("getOrder", "/orders/:order_id", {
      params: { order_id: OrderId },
      success: StaffOrderView,
      error: StaffOrderNotFound
    })
      .annotate(RequiredPermission, "order.read")
      .annotate(OpenApi.Summary, "Show an order")
      .annotate(
        OpenApi.Description,
        "Shows what was ordered by whom, the price and the cost, and what happened: deliveries, payments, ledger entries, refunds, changes, and restrictions of the customer."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Orders")
  .annotate(OpenApi.Description, "The orders of all customers, with what happened to them.") {}
