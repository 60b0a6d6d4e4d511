import { Effect } from "effect"
import { may } from "../../staff/Actor.ts"
import { StaffRefunds } from "../../staff/money/StaffRefunds.ts"
import { StaffOrders } from "../../staff/orders/StaffOrders.ts"
import { StaffOrderWork } from "../../staff/orders/StaffOrderWork.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { orderInPath } from "../desk/OrderInPath.ts"

const refundsShown = 20

/** Makes the function that reads everything that the page of the order in the path shows. */
export const make = Effect.gen(function* () {
  const orders = yield* StaffOrders
  const refunds = yield* StaffRefunds
  const work = yield* StaffOrderWork

  return Effect.fnUntraced(function* ({ actor }: AdminVisit) {
    const order_id = yield* orderInPath
    const shown = yield* orders.get(actor, order_id)
    return {
      ...shown,
      refunds: may(actor, "refund.read") ? yield* refunds.list({ order_id }, refundsShown) : [],
      work: yield* work.actions(actor, order_id)
    }
  })
})
