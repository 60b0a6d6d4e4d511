import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import { AdjustmentView } from "../../staff/money/AdjustmentView.ts"
import { RefundView } from "../../staff/money/RefundView.ts"
import { StaffAdjustments } from "../../staff/money/StaffAdjustments.ts"
import { StaffRefunds } from "../../staff/money/StaffRefunds.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { moneyOutcome } from "./MoneyOutcome.ts"
import { requestsPage } from "./RequestsPage.ts"

/** Limit of the requests of each kind on the page. The oldest are decided first or expire. */
const shownAtMost = 100

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
      told: Parameters<typeof requestsPage>[2] = {}
    ) {
      yield* needs(visit.actor, "adjustment.read")
      yield* needs(visit.actor, "refund.read")
      const waiting = {
        adjustments: yield* adjustments.list({ status: "requested" }, shownAtMost),
        refunds: yield* refunds.list({ status: "requested" }, shownAtMost),
        newKey: randomUUID
      }
      return requestsPage(visit, waiting, told)
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
