import { Effect, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import type { PlacedOrder } from "../Order.ts"
import { OrderPaymentsRepo } from "./OrderPaymentsRepo.ts"

/**
 * Asks the gateway for the payment that an order waits for, and links the payment page to all orders of that payment.
 * Safe to repeat after a crash. Removes the orders when the gateway does not open the payment, because the customer has
 * not seen a payment page.
 */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const payments = yield* Payments
  const repo = yield* OrderPaymentsRepo

  const takeBack = Effect.fnUntraced(function* (id: PaymentIntentId) {
    if (yield* payments.abandon(id)) yield* repo.remove(id)
  }, atomically)

  return Effect.fnUntraced(function* ({ payment_intent_id, payment_url, status }: PlacedOrder) {
    if (status !== "waiting_payment" || payment_intent_id === null || payment_url !== null) return
    const intent = Option.getOrUndefined(yield* payments.find(PaymentIntentId.make(payment_intent_id)))
    if (intent === undefined) return
    yield* payments.open(intent).pipe(
      Effect.flatMap((payment) => repo.link(intent.id, payment.payment_url)),
      Effect.catchTag("PaymentMethodUnavailable", () => takeBack(intent.id))
    )
  })
})
