import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import * as Page from "../../platform/fields/Page.ts"
import { OrderId } from "../Order.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { Notes } from "../OrderFields.ts"
import { ordersTag } from "../OrdersApi.ts"
import { ListedOrderView } from "../OrderView.ts"
import { OrderDetailsView } from "./OrderDetailsView.ts"
import { OrderHistoryView } from "./OrderHistoryView.ts"
import { ProviderDown } from "./ProxyErrors.ts"

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

/** Get one order with its proxy, and change its notes. */
export class OrderDetailsApi extends HttpApiGroup.make("order-details")
  .add(
    HttpApiEndpoint.get("get", "/:order_id", {
      params: { order_id: OrderId },
      success: OrderDetailsView,
      error: [OrderNotFound, OrderNotYours, ProviderDown]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.get",
          "Get an order",
          "Returns the order. While the proxy is live, the answer contains its address and credentials. For a mobile rotating order with a proxy, the answer is the snapshot of the proxy, read from the provider; `503` while the provider does not answer. For a mobile rotating order without a proxy, the answer is the order itself, with its `payment_url`."
        )
      )
  )
  .add(
    HttpApiEndpoint.patch("update", "/:order_id", {
      params: { order_id: OrderId },
      payload: Schema.Struct({
        notes: Notes.annotate({
          description: "Your private notes; they replace the present ones, and an empty text removes them",
          examples: ["crawler in Berlin"]
        })
      }),
      success: ListedOrderView,
      error: [OrderNotFound, OrderNotYours]
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "orders.update",
          "Change the notes",
          "Replaces the private notes of an order, also of one that has ended. Nothing else changes, and the provider is not asked."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("history", "/:order_id/history", {
      params: { order_id: OrderId },
      query: Page.query(100, 50),
      success: OrderHistoryView,
      error: [OrderNotFound, OrderNotYours]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.history",
          "List the history of an order",
          "Lists what happened to an order and who did it, newest first: its purchase, its delivery, its changes and failures, its end. The service keeps the last 20 of each kind of free change, such as a new password."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
