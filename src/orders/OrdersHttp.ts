import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { oneKey, replayable } from "../idempotency/IdempotencyKeyHttp.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { OrderCancellation } from "./OrderCancellation.ts"
import * as OrderDetails from "./OrderDetails.ts"
import { OrderPlacement } from "./OrderPlacement.ts"
import { withPeriod } from "./OrderRequest.ts"
import { Orders } from "./Orders.ts"
import { listed, type OrderList, view } from "./OrderView.ts"
import { quoteView } from "./QuoteView.ts"
import { TrafficUsage } from "./TrafficUsage.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders
    const placement = yield* OrderPlacement
    const cancellation = yield* OrderCancellation
    const traffic = yield* TrafficUsage
    const show = yield* OrderDetails.make
    const wallets = yield* Wallets

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ headers, payload }) {
        const key = yield* oneKey(payload.idempotency_key, headers["idempotency-key"])
        const placed = yield* placement.place(yield* Caller, withPeriod(payload), key)
        return replayable({ answer: placed.orders, replayed: placed.replayed })
      }),
      quote: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* Caller
        const quote = yield* placement.quote(caller, withPeriod(payload))
        return quoteView(quote, yield* wallets.list(caller.user_id))
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        return view(yield* cancellation.cancel((yield* Caller).user_id, params.order_id))
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { limit, offset, ...filter } = query
        const { user_id } = yield* Caller
        const found = yield* orders.list(user_id, filter, { limit, offset })
        const page: typeof OrderList.Type = { orders: found.orders.map(listed), total: found.total, limit, offset }
        // Sent as it is: a view is its encoded form already.
        return HttpServerResponse.jsonUnsafe(page)
      }),
      counts: Effect.fnUntraced(function* ({ query }) {
        return yield* orders.counts((yield* Caller).user_id, query)
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        return yield* show(yield* orders.get((yield* Caller).user_id, params.order_id))
      }),
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
