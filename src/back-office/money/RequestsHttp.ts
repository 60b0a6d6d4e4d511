import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import * as Keyset from "../../staff/Keyset.ts"
import { AdjustmentView } from "../../staff/money/AdjustmentView.ts"
import { RefundView } from "../../staff/money/RefundView.ts"
import { StaffAdjustments } from "../../staff/money/StaffAdjustments.ts"
import { StaffRefunds } from "../../staff/money/StaffRefunds.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { afterOf } from "../desk/Part.ts"
import { moneyOutcome } from "./MoneyOutcome.ts"
import { requestsPage } from "./RequestsPage.ts"

/** Limit of the requests of each kind on the page. */
const shownAtMost = 50

const decided = { decision: Schema.Literals(["approve", "decline"]), key: Nonce }

const Decision = Schema.Union([
  Schema.Struct({ what: Schema.Literal("adjustment"), id: AdjustmentView.fields.id, ...decided }),
  Schema.Struct({ what: Schema.Literal("refund"), id: RefundView.fields.id, ...decided })
])

/** The page of the requests that wait for a second person, and the forms that decide. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const adjustments = yield* StaffAdjustments
    const refunds = yield* StaffRefunds
    const { pathTo, show, take } = yield* AdminPages

    const showRequests = Effect.fnUntraced(function* (
      visit: AdminVisit,
      outcome: Parameters<typeof requestsPage>[2] = {}
    ) {
      yield* needs(visit.actor, "adjustment.read")
      yield* needs(visit.actor, "refund.read")
      const status = "requested"
      const [adjustment, refund] = [afterOf(visit, "adjustments"), afterOf(visit, "refunds")]
      const credits = adjustments.list(
        adjustment === undefined ? { status } : { status, after: AdjustmentView.fields.id.make(adjustment) },
        shownAtMost + 1
      )
      const returns = refunds.list(
        refund === undefined ? { status } : { status, after: RefundView.fields.id.make(refund) },
        shownAtMost + 1
      )
      const waiting = {
        adjustments: Keyset.pageOf(yield* credits, shownAtMost),
        refunds: Keyset.pageOf(yield* returns, shownAtMost),
        newKey: randomUUID
      }
      return requestsPage(visit, waiting, outcome)
    })

    yield* router.add(
      "GET",
      pathTo("requests"),
      show((visit) => showRequests(visit))
    )
    yield* router.add(
      "POST",
      pathTo("requests"),
      take({
        fields: Decision,
        messages: {
          what: text("admin.action_wrong"),
          id: text("admin.action_wrong"),
          decision: text("admin.action_wrong"),
          key: text("form.not_confirmed")
        },
        again: (visit, faults) => showRequests(visit, { faults }),
        act: Effect.fnUntraced(function* (visit, given) {
          const { actor } = visit
          const { decision, key } = given
          const outcome = yield* given.what === "adjustment"
            ? adjustments.decide(actor, key, given.id, decision)
            : refunds.decide(actor, key, given.id, decision)
          return yield* showRequests(
            visit,
            decision === "approve" ? moneyOutcome(outcome) : { notice: text("requests.declined") }
          )
        })
      })
    )
  })
)
