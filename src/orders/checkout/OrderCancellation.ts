import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import type { Order, OrderId } from "../Order.ts"
import type { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"
import { OrderNotWaiting } from "./CheckoutErrors.ts"
import { Orders } from "../Orders.ts"

/** Cancels orders that wait for a payment. */
export class OrderCancellation extends Context.Service<
  OrderCancellation,
  {
    /**
     * Ends the payment that an order waits for, and cancels all orders of that payment: a gateway takes a payment as a
     * whole.
     */
    readonly cancel: (
      owner: UserId,
      id: OrderId
    ) => Effect.Effect<Order, OrderNotFound | OrderNotYours | OrderNotWaiting>
  }
>()("app/orders/OrderCancellation") {
  static readonly layerNoDeps = Layer.effect(
    OrderCancellation,
    Effect.gen(function* () {
      const orders = yield* Orders
      const payments = yield* Payments

      const cancel = Effect.fn("OrderCancellation.cancel")(function* (owner: UserId, id: OrderId) {
        const { payment_intent_id, status } = yield* orders.get(owner, id)
        if (status !== "waiting_payment" || payment_intent_id === null) return yield* new OrderNotWaiting()
        const payment = PaymentIntentId.make(payment_intent_id)
        if (!(yield* payments.abandon(payment))) return yield* new OrderNotWaiting()
        yield* payments.close(payment)
        return yield* orders.get(owner, id)
      })

      return OrderCancellation.of({ cancel })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Orders.layer))
}
