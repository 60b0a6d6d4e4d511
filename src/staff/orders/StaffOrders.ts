import { Context, Effect, Layer, Option } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import { maskedEmail } from "../MaskedEmail.ts"
import { OrderTimelineRepo } from "./OrderTimelineRepo.ts"
import { type OrderWithSteps, type StepKind, stepKinds } from "./StaffOrder.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"
import { StaffOrdersRepo } from "./StaffOrdersRepo.ts"

const stepsAtMost = 200

const allKinds = Object.keys(stepKinds) as ReadonlyArray<StepKind>

/** The orders of all customers, for staff. */
export class StaffOrders extends Context.Service<
  StaffOrders,
  {
    /**
     * An order and the newest 200 things that happened to it, each by the permission of its area. Hides the email from those who
     * may not identify customers.
     */
    readonly get: (
      actor: Actor["Service"],
      id: OrderId
    ) => Effect.Effect<OrderWithSteps, StaffOrderNotFound | PermissionNeeded>
  }
>()("app/staff/StaffOrders") {
  static readonly layerNoDeps = Layer.effect(
    StaffOrders,
    Effect.gen(function* () {
      const repo = yield* StaffOrdersRepo
      const timeline = yield* OrderTimelineRepo

      return StaffOrders.of({
        get: Effect.fn("StaffOrders.get")(function* (actor, id) {
          yield* needs(actor, "order.read")
          const order = Option.getOrUndefined(yield* repo.find(id))
          if (order === undefined) return yield* new StaffOrderNotFound()
          const email = may(actor, "customer.identify") ? order.email : maskedEmail(order.email)
          const kinds = allKinds.filter((kind) => may(actor, stepKinds[kind]))
          return { order: { ...order, email }, timeline: yield* timeline.list(id, kinds, stepsAtMost) }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OrderTimelineRepo.layer, StaffOrdersRepo.layer]))
}
