import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type Phrase, text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import { StaffPayouts } from "../../staff/money/StaffPayouts.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { payoutInPath } from "./PayoutInPath.ts"
import { payoutPage, payoutsPage } from "./PayoutsPage.ts"

/** Limit of the withdrawals of each part of the page. */
const shownAtMost = 50

const outcomes: Readonly<Record<string, Phrase>> = {
  approve: text("payouts.now_approved"),
  sent: text("payouts.now_sent"),
  decline: text("payouts.now_declined")
}

/** The withdrawals of customers. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show } = yield* AdminPages
    const payouts = yield* StaffPayouts

    const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "payout.read")
      const waiting = yield* Effect.forEach(["requested", "approved"] as const, (status) =>
        payouts.list(visit.actor, { status }, shownAtMost)
      )
      return payoutsPage(visit, { waiting: waiting.flat(), newest: yield* payouts.list(visit.actor, {}, shownAtMost) })
    })

    const showOne = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "payout.read")
      const payout = yield* payouts.get(visit.actor, yield* payoutInPath)
      return payoutPage(visit, payout, outcomes[visit.query.get("done") ?? ""])
    })

    yield* router.add("GET", pathTo("payouts"), show(showAll))
    yield* router.add("GET", pathTo("payouts/:id"), show(showOne))
  })
)
