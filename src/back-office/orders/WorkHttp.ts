import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { needs } from "../../staff/Actor.ts"
import { GivenDays, WorkReason } from "../../staff/orders/OrderWorkApi.ts"
import { StaffOrderWork } from "../../staff/orders/StaffOrderWork.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { orderInPath } from "../desk/OrderInPath.ts"
import { orderPage } from "./OrderPage.ts"
import * as ReadOrder from "./ReadOrder.ts"
import { extendReview, workOutcome, workPage } from "./WorkPages.ts"
import { type WorkAction, workText } from "./WorkText.ts"

const common = { key: Nonce, reason: WorkReason }
const messages = { key: text("form.not_confirmed"), reason: text("work.reason_wrong") } as const

const Extend = Schema.Struct({
  ...common,
  days: Schema.optionalKey(Schema.FiniteFromString.pipe(Schema.decodeTo(GivenDays))),
  months: Schema.optionalKey(Schema.Literal("1")),
  confirmed: Schema.optionalKey(Schema.Literal("yes"))
})

/** The forms that work on an order. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const desk = yield* StaffOrderWork
    const read = yield* ReadOrder.make

    const form = (action: WorkAction) =>
      Effect.fnUntraced(function* (visit: AdminVisit, faults?: Faults, typed?: Submission) {
        yield* needs(visit.actor, "order.work")
        const shown = yield* desk.actions(visit.actor, yield* orderInPath)
        const refusal = shown.refusals[action]
        // A form that was sent says itself why it was refused.
        if (refusal !== undefined && faults === undefined) return yield* refusal
        const again = { ...(faults !== undefined && { faults }), ...(typed !== undefined && { field: typed.field }) }
        return workPage(visit, action, shown, typed?.field("key") ?? randomUUID(), again)
      })

    const pathOf = (action: WorkAction) => pathTo(`orders/:id/${workText[action].path}`)

    for (const action of ["retry", "look_up", "release", "replace", "extend"] as const) {
      const shown = form(action)
      yield* router.add(
        "GET",
        pathOf(action),
        show((visit) => shown(visit))
      )
    }
    for (const action of ["retry", "look_up", "release", "replace"] as const)
      yield* router.add(
        "POST",
        pathOf(action),
        take({
          fields: Schema.Struct(common),
          messages,
          again: form(action),
          act: Effect.fnUntraced(function* (visit, { key, reason }) {
            const { answer } = yield* desk.work(visit.actor, key, yield* orderInPath, { action, reason })
            return orderPage(visit, yield* read(visit), workOutcome(answer))
          })
        })
      )
    yield* router.add(
      "POST",
      pathOf("extend"),
      take({
        fields: Extend,
        messages: {
          ...messages,
          days: text("work.days_wrong"),
          months: text("form.not_confirmed"),
          confirmed: text("form.not_confirmed")
        },
        again: form("extend"),
        act: Effect.fnUntraced(function* (visit, { confirmed, days, key, months, reason }) {
          const id = yield* orderInPath
          const shown = yield* desk.actions(visit.actor, id)
          const time = days === undefined ? { months: 1 as const } : { days }
          const work = { action: "extend", time, reason } as const
          if (confirmed === undefined) {
            yield* desk.rehearse(visit.actor, key, id, work)
            const fields = Object.entries({
              key,
              reason,
              ...(days !== undefined && { days: String(days) }),
              ...(months !== undefined && { months })
            })
            return extendReview(visit, shown, { reason, ...(days !== undefined && { days }) }, fields)
          }
          const { answer } = yield* desk.work(visit.actor, key, id, work)
          return orderPage(visit, yield* read(visit), workOutcome(answer))
        })
      })
    )
  })
)
