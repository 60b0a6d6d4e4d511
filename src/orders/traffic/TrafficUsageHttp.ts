import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { Orders } from "../Orders.ts"
import { TrafficUsage } from "./TrafficUsage.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "traffic-usage",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders
    const traffic = yield* TrafficUsage

    return handlers.handleAll({
      traffic: Effect.fnUntraced(function* ({ params, query }) {
        const order = yield* orders.get((yield* Caller).user_id, params.order_id)
        return yield* traffic.ofOrder(order, query.period)
      }),
      trafficSummary: Effect.fnUntraced(function* ({ query }) {
        const { period, ...filter } = query
        return yield* traffic.ofUser((yield* Caller).user_id, period, filter)
      })
    })
  })
)
