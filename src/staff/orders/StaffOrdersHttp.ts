import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import * as Money from "../../platform/Money.ts"
import { Actor } from "../Actor.ts"
import { foundOrderView } from "./FoundOrder.ts"
import type { OrderStep, OrderWithSteps, StaffOrderView } from "./StaffOrder.ts"
import { StaffOrders } from "./StaffOrders.ts"

const stepView = ({ amount, currency, ...step }: OrderStep) => ({
  ...step,
  currency,
  amount: currency === null || amount === null ? null : Money.toDecimal(currency, amount)
})

const orderView = ({ order, timeline }: OrderWithSteps): typeof StaffOrderView.Type => ({
  ...order,
  total: Money.toDecimal(order.currency, order.total),
  discount: Money.toDecimal(order.currency, order.discount),
  cost_usd: order.cost_usd === null ? null : Money.toDecimal("USD", order.cost_usd),
  timeline: timeline.map(stepView)
})

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminOrders",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* StaffOrders
    return handlers.handleAll({
      listOrders: Effect.fnUntraced(function* ({ query: { q, ...page } }) {
        const { items, next } = yield* orders.list(yield* Actor, q, page)
        return { items: items.map(foundOrderView), next }
      }),
      getOrder: Effect.fnUntraced(function* ({ params }) {
        return orderView(yield* orders.get(yield* Actor, params.order_id))
      })
    })
  })
)
