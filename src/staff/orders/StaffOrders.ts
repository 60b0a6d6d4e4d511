import { Context, Effect, Layer, Option } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import * as CustomerQuery from "../customers/CustomerQuery.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import { maskedEmail } from "../MaskedEmail.ts"
import * as Keyset from "../Keyset.ts"
import type { FoundOrder } from "./FoundOrder.ts"
import { OrderTimelineRepo } from "./OrderTimelineRepo.ts"
import { type OrderWithSteps, type StepKind, stepKinds } from "./StaffOrder.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"
import { StaffOrdersRepo } from "./StaffOrdersRepo.ts"

const stepsAtMost = 200

const allKinds = Object.keys(stepKinds) as ReadonlyArray<StepKind>

const emailFor = (actor: Actor["Service"], email: string | null) =>
  may(actor, "customer.identify") ? email : maskedEmail(email)

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
    /** Orders that words name: an id, a mail address, `ip:port`, a charge, a proxy's id at its vendor. Without words: all. */
    readonly list: (
      actor: Actor["Service"],
      words: string | undefined,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<FoundOrder>; readonly next: string | null }, PermissionNeeded>
  }
>()("app/staff/StaffOrders") {
  static readonly layerNoDeps = Layer.effect(
    StaffOrders,
    Effect.gen(function* () {
      const repo = yield* StaffOrdersRepo
      const timeline = yield* OrderTimelineRepo

      return StaffOrders.of({
        list: Effect.fn("StaffOrders.list")(function* (actor, words, { limit, ...page }) {
          yield* needs(actor, "order.read")
          const query = words === undefined ? undefined : CustomerQuery.parse(words)
          const rows = yield* repo.list(query, { ...page, limit: limit + 1 })
          const shown = rows.map((order) => ({ ...order, email: emailFor(actor, order.email) }))
          return Keyset.pageOf(shown, limit)
        }),

        get: Effect.fn("StaffOrders.get")(function* (actor, id) {
          yield* needs(actor, "order.read")
          const order = Option.getOrUndefined(yield* repo.find(id))
          if (order === undefined) return yield* new StaffOrderNotFound()
          const kinds = allKinds.filter((kind) => may(actor, stepKinds[kind]))
          return {
            order: { ...order, email: emailFor(actor, order.email) },
            timeline: yield* timeline.list(id, kinds, stepsAtMost)
          }
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OrderTimelineRepo.layer, StaffOrdersRepo.layer]))
}
