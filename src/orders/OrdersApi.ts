import { Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import * as Page from "../platform/fields/Page.ts"
import { OrderCounts } from "./OrderCounts.ts"
import { ProxyFilter } from "./OrderFilter.ts"
import { OrderSearch } from "./OrderSearch.ts"
import { OrderListView } from "./OrderView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** All rooms of this folder document their operations on orders under this tag. */
export const ordersTag = OpenApi.annotations({ title: "Orders", description: "Buy proxies and find them again" })

export class OrdersApi extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...Page.query(100, 50),
        ...OrderSearch.fields
      },
      success: OrderListView
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "List orders",
          "Your orders, newest first unless you choose another `sort`. `q` searches in them. `total` counts all matches."
        )
      ),
    HttpApiEndpoint.get("counts", "/counts", {
      query: Struct.pick(ProxyFilter.fields, ["proxy_type"]),
      success: OrderCounts
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Count orders",
          "Counts your proxies by status. Each number equals the `total` of the list with the same filter."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
