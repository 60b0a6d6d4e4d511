import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { Orders } from "./Orders.ts"
import { listedOrderView } from "./OrderView.ts"

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
        return { orders: found.orders.map(listedOrderView), total: found.total, limit, offset }
      }),
      counts: Effect.fnUntraced(function* ({ query }) {
        return yield* orders.counts((yield* Caller).user_id, query)
      })
    })
  })
)
