import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { Orders } from "../Orders.ts"
import { listedOrderView } from "../OrderView.ts"
import { orderHistoryEntry } from "./OrderHistoryView.ts"
import { ProxyHistory } from "./ProxyHistory.ts"
import * as ReadOrderDetails from "./ReadOrderDetails.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "order-details",
  Effect.fnUntraced(function* (handlers) {
    const history = yield* ProxyHistory
    const orders = yield* Orders
    const readDetails = yield* ReadOrderDetails.make

    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params }) {
        return yield* readDetails((yield* Caller).user_id, params.order_id)
      }),
      history: Effect.fnUntraced(function* ({ params, query }) {
        const { user_id } = yield* Caller
        const { events, total } = yield* history.list(user_id, params.order_id, query)
        return { history: events.map(orderHistoryEntry), total, ...query }
      }),
      update: Effect.fnUntraced(function* ({ params, payload }) {
        const { user_id } = yield* Caller
        return listedOrderView(yield* orders.setNotes(user_id, params.order_id, payload.notes))
      })
    })
  })
)
