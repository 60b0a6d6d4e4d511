import { type Array as Arr, Effect } from "effect"
import { PaymentMethodUnavailable } from "../../wallet/PaymentErrors.ts"
import type { OrderId, PlacedOrder } from "../Order.ts"
import { OrdersRepo } from "../OrdersRepo.ts"
import { orderView, type OrderViewRow } from "../OrderView.ts"
import * as AskForPayment from "./AskForPayment.ts"
import * as DeliverOrders from "./DeliverOrders.ts"

/**
 * Finishes bought orders and returns them in their present state. Fails when the gateway did not open their payment, and
 * the orders are removed.
 */
export const make = Effect.gen(function* () {
  const repo = yield* OrdersRepo
  const askForPayment = yield* AskForPayment.make
  const deliver = yield* DeliverOrders.make

  const present = Effect.fnUntraced(function* (
    ids: ReadonlyArray<OrderId>,
    delivered: ReadonlyArray<OrderViewRow> = []
  ) {
    const found = delivered.length === ids.length ? delivered : yield* repo.findMany(ids)
    if (found.length === 0) return yield* new PaymentMethodUnavailable()
    return found.map((order) => orderView(order))
  })

  return {
    /** Delivers paid orders, or asks for the payment of the others. */
    finish: Effect.fnUntraced(function* (orders: Arr.NonEmptyReadonlyArray<PlacedOrder>) {
      const ids = orders.map(({ id }) => id)
      const [{ payment_method }] = orders
      if (payment_method === "wallet") return yield* present(ids, yield* deliver(orders))
      yield* askForPayment(orders[0])
      return yield* present(ids)
    }),

    /** Continues after a crash. The recovery job provisions paid orders. */
    resume: Effect.fnUntraced(function* (ids: ReadonlyArray<OrderId>) {
      const [order] = yield* repo.findMany(ids.slice(0, 1))
      if (order !== undefined) yield* askForPayment(order)
      return yield* present(ids)
    })
  }
})
