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
  "Hourly points for `last_24h`, daily ones for `last_7d` and `last_30d`, aligned to UTC hours and days, those without traffic among them. Traffic is what the built-in gateway metered, which shows within 5 seconds, or what the provider reports; a provider that reports none counts as 0. `503` while a provider does not answer."

const described = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description })

/** Traffic of proxies over time. */
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
          `${points} \`used_total_gb\` is the counter of the cycle that ran when the point ended, \`total_limit_gb\` the proxy's limit at this moment.`
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
          `The sum over all your proxies that existed in the period, ended ones among them. ${points} \`used_total_gb\` and \`total_limit_gb\` are sums as well, the limit 0 as soon as one of the proxies is unlimited.`
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(ordersTag) {}
