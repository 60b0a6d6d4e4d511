import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { Orders } from "./Orders.ts"
import { listedOrderView, type OrderListView } from "./OrderView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { limit, offset, ...filter } = query
        const { user_id } = yield* Caller
        const found = yield* orders.list(user_id, filter, { limit, offset })
        const page: typeof OrderListView.Type = {
          orders: found.orders.map(listedOrderView),
          total: found.total,
          limit,
          offset
        }
        // A view is already in its encoded form.
        return HttpServerResponse.jsonUnsafe(page)
      }),
      counts: Effect.fnUntraced(function* ({ query }) {
        return yield* orders.counts((yield* Caller).user_id, query)
      })
    })
  })
)
