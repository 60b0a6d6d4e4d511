import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { TypedAmount } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { Line } from "../../platform/fields/Line.ts"
import { needs } from "../../staff/Actor.ts"
import { LimitDesk } from "../../staff/money/LimitDesk.ts"
import * as MoneyText from "../../staff/money/MoneyText.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { NothingThere } from "../desk/NothingThere.ts"
import { limitForm, limitsPage } from "./LimitsPage.ts"

const Amount = Schema.optionalKey(TypedAmount.pipe(Schema.decodeTo(MoneyText.Amount)))

const Limit = Schema.Struct({
  alone: Schema.Literals(["yes", "no"]),
  per_action: Amount,
  per_customer_30d: Amount,
  per_staff_day: Amount,
  reason: Line(3, 500)
})

const messages = {
  alone: text("admin.action_wrong"),
  per_action: text("credit.amount_wrong"),
  per_customer_30d: text("credit.amount_wrong"),
  per_staff_day: text("credit.amount_wrong"),
  reason: text("restriction.reason_wrong")
}

/** The limits of staff, and the form that changes one. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* LimitDesk
    const { pathTo, show, take } = yield* AdminPages

    const limitInPath = Effect.fnUntraced(function* ({ actor }: AdminVisit) {
      yield* needs(actor, "limit.change")
      const { action, currency, role } = yield* HttpRouter.params
      const found = (yield* desk.list(actor)).find(
        (limit) => limit.role === role && limit.action === action && limit.currency === currency
      )
      return found ?? (yield* new NothingThere())
    })

    yield* router.add(
      "GET",
      pathTo("limits"),
      show(
        Effect.fnUntraced(function* (visit) {
          const limits = yield* desk.list(visit.actor)
          return limitsPage(visit, limits, visit.query.get("done") === "changed" ? text("admin.changed") : undefined)
        })
      )
    )
    yield* router.add(
      "GET",
      pathTo("limits/:role/:action/:currency"),
      show((visit) => Effect.map(limitInPath(visit), (limit) => limitForm(visit, limit)))
    )
    yield* router.add(
      "POST",
      pathTo("limits/:role/:action/:currency"),
      take({
        fields: Limit,
        messages,
        again: (visit, faults, { field }) =>
          Effect.map(limitInPath(visit), (limit) => limitForm(visit, limit, { faults, field })),
        act: Effect.fnUntraced(function* (visit, { alone, reason, ...given }) {
          const { per_action = null, per_customer_30d = null, per_staff_day = null } = given
          const texts = alone === "no" ? null : { per_action, per_customer_30d, per_staff_day }
          yield* desk.set(visit.actor, yield* limitInPath(visit), texts, reason)
          return redirect(`${pathTo("limits")}?done=changed`)
        })
      })
    )
  })
)
