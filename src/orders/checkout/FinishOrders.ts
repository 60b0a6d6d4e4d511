import { Effect, Schema } from "effect"
import { PaymentMethodUnavailable } from "../../wallet/PaymentErrors.ts"
import { type Order, OrderId } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { orderView, type OrderViewRow } from "../OrderView.ts"
import * as AskForPayment from "./AskForPayment.ts"
import * as DeliverOrders from "./DeliverOrders.ts"
import type { WantedOrder } from "./OrderRequest.ts"

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(OrderId))

/**
 * Delivers paid orders, or asks for the payment of the others, and returns the orders in their present state. `bought`
 * is empty in a request that takes over after a crash: the recovery job provisions those orders. Fails when the gateway
 * did not open the payment, and the orders are removed.
 */
export const make = Effect.gen(function* () {
  const orders = yield* OrdersRepo
  const askForPayment = yield* AskForPayment.make
  const deliver = yield* DeliverOrders.make

  return Effect.fnUntraced(function* (reference: Schema.Json, request: WantedOrder, bought: ReadonlyArray<Order>) {
    const ids = yield* Effect.orDie(decodeIds(reference))
    let delivered: ReadonlyArray<OrderViewRow> = []
    if (request.payment_method === "wallet") delivered = yield* deliver(bought)
    else {
      const [order] = bought.length > 0 ? bought : yield* orders.findMany(ids.slice(0, 1))
      if (order !== undefined) yield* askForPayment(order)
    }
    const found = delivered.length === ids.length ? delivered : yield* orders.findMany(ids)
    if (found.length === 0) return yield* new PaymentMethodUnavailable()
    return found.map((order) => orderView(order))
  })
})
