import { DateTime, Effect } from "effect"
import { money, say } from "../../brand/LocalText.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { descriptions } from "../../wallet/EntryDescription.ts"
import { GatewayRefunds } from "../../wallet/refunds/GatewayRefunds.ts"
import { Returns } from "../../wallet/Returns.ts"
import type { Order } from "../Order.ts"
import type { AgreedRefund } from "./AgreeRefund.ts"
import type { OrderRefund } from "./OrderRefund.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"

/**
 * Books an agreed refund in the caller's transaction, which has locked the order and the wallets: the money returns to the
 * wallet, the order ends if it must, and the money leaves for its gateway if it shall.
 */
export const make = Effect.gen(function* () {
  const gatewayRefunds = yield* GatewayRefunds
  const notifications = yield* Notifications
  const repo = yield* OrderRefundsRepo
  const returns = yield* Returns

  const tell = ({ amount, currency, destination, order_id, user_id }: OrderRefund) => {
    const price = money(currency, amount)
    return notifications.add([
      destination === "wallet"
        ? { user_id, order_id, kind: "deposit_credited", message: say("notice.order_returned", { price }) }
        : { user_id, order_id, kind: "payment_returned", message: say("notice.order_paid_back", { price }) }
    ])
  }

  return Effect.fnUntraced(function* (refund: OrderRefund, order: Order, { parts }: AgreedRefund) {
    const { currency, id: refund_id, kind, user_id } = refund
    for (const { amount, payment } of parts) {
      const transaction_id = yield* returns.book({
        user_id,
        order_id: order.id,
        payment,
        amount,
        is_undone: kind === "whole" && payment.reference === order.id,
        reference: `refund:${refund_id}:${payment.id}`,
        description: refund.customer_text ?? descriptions.returned
      })
      yield* repo.insertPart({ refund_id, payment_id: payment.id, user_id, currency, amount, transaction_id })
    }
    if (refund.ends_service) yield* repo.end(order.id, kind === "whole" ? "refunded" : "cancelled", yield* DateTime.now)
    if (refund.destination === "gateway") {
      const { amount } = refund
      const { payment_intent_id } = order
      yield* gatewayRefunds.book({ order_refund_id: refund_id, user_id, currency, amount, payment_intent_id })
    }
    yield* tell(refund)
  })
})
