import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../accounts/Caller.ts"
import { Api } from "../../Api.ts"
import { oneKey, replayable } from "../../idempotency/IdempotencyKeyHttp.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { orderView } from "../OrderView.ts"
import { OrderCancellation } from "./OrderCancellation.ts"
import { OrderPlacement } from "./OrderPlacement.ts"
import { withPeriod } from "./OrderRequest.ts"
import { quoteView } from "./QuoteView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "checkout",
  Effect.fnUntraced(function* (handlers) {
    const placement = yield* OrderPlacement
    const cancellation = yield* OrderCancellation
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
        return orderView(yield* cancellation.cancel((yield* Caller).user_id, params.order_id))
      })
    })
  })
)
