import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import type { OrderId } from "../../orders/Order.ts"
import { Actor } from "../Actor.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { orderActionsView } from "./OrderWork.ts"
import { StaffOrderWork } from "./StaffOrderWork.ts"

interface Request {
  readonly headers: { readonly "idempotency-key": string }
  readonly params: { readonly order_id: OrderId }
  readonly payload: { readonly reason: string }
}

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminOrderWork",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* StaffOrderWork
    const acting = (action: "retry" | "look_up" | "release" | "replace") =>
      Effect.fnUntraced(function* ({ headers, params, payload: { reason } }: Request) {
        const key = headers["idempotency-key"]
        return StaffActionApi.answer(yield* desk.work(yield* Actor, key, params.order_id, { action, reason }))
      })

    return handlers.handleAll({
      getOrderActions: Effect.fnUntraced(function* ({ params }) {
        return orderActionsView(yield* desk.actions(yield* Actor, params.order_id))
      }),
      retryOrder: acting("retry"),
      lookUpOrder: acting("look_up"),
      releaseOrder: acting("release"),
      replaceOrder: acting("replace"),
      extendOrder: Effect.fnUntraced(function* ({ headers, params, payload: { days, reason } }) {
        const time = days === undefined ? { months: 1 as const } : { days }
        const work = { action: "extend", time, reason } as const
        return StaffActionApi.answer(yield* desk.work(yield* Actor, headers["idempotency-key"], params.order_id, work))
      })
    })
  })
)
