import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { OrderId } from "../Order.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { ordersTag } from "../OrdersApi.ts"
import { OrderDetailsView } from "./OrderDetailsView.ts"
import { ProviderDown } from "./ProxyErrors.ts"

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

/** Get one order with its proxy. */
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
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
