import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { OrderId } from "../Order.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { ProxyFilter } from "../OrderFilter.ts"
import { ordersTag } from "../OrdersApi.ts"
import { TrafficUnavailable } from "./TrafficErrors.ts"
import { TrafficPeriod } from "./TrafficPoints.ts"
import { TrafficUsageView } from "./TrafficUsageView.ts"

const period = TrafficPeriod.pipe(Schema.withDecodingDefaultKey(Effect.succeed("last_7d")))

const points =
  "Points are hourly for `last_24h` and daily for `last_7d` and `last_30d`, aligned to UTC hours and days. Points without traffic are included. The built-in gateway meters its own proxies, and new traffic shows within 5 seconds; other providers report theirs. A provider that reports no traffic counts as 0. `503` while a provider does not answer."

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

/** Show the traffic of proxies over time. */
export class TrafficUsageApi extends HttpApiGroup.make("traffic-usage")
  .add(
    HttpApiEndpoint.get("traffic", "/:order_id/traffic-usage", {
      params: { order_id: OrderId },
      query: { period },
      success: TrafficUsageView,
      error: [OrderNotFound, OrderNotYours, TrafficUnavailable]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.traffic",
          "Traffic of an order",
          `Shows the traffic of one proxy over time. ${points} \`used_total_gb\` is the traffic counter of the cycle at the end of the point. \`total_limit_gb\` is the present limit of the proxy.`
        )
      ),
    HttpApiEndpoint.get("trafficSummary", "/traffic-usage/summary", {
      query: { period, ...ProxyFilter.fields },
      success: TrafficUsageView,
      error: TrafficUnavailable
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "orders.trafficSummary",
          "Traffic of all proxies",
          `Sums the traffic of all your proxies that existed in the period, including ended ones. ${points} \`used_total_gb\` and \`total_limit_gb\` are sums too. The limit is 0 when one of the proxies is unlimited.`
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
