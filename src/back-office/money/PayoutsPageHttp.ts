import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type Phrase, text } from "../../pages/Html.ts"
import { needs } from "../../staff/Actor.ts"
import { PayoutView } from "../../staff/money/PayoutView.ts"
import { StaffPayouts } from "../../staff/money/StaffPayouts.ts"
import * as Keyset from "../../staff/Keyset.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { afterOf } from "../desk/Part.ts"
import { payoutInPath } from "./PayoutInPath.ts"
import { payoutPage, payoutsPage } from "./PayoutsPage.ts"

/** Limit of the withdrawals of each part of the page. */
const shownAtMost = 50

const outcomes: Readonly<Record<string, Phrase>> = {
  approve: text("payouts.now_approved"),
  sent: text("payouts.now_sent"),
  decline: text("payouts.now_declined")
}

type PayoutFilter = Parameters<StaffPayouts["Service"]["list"]>[1]

/** The withdrawals of customers. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show } = yield* AdminPages
    const payouts = yield* StaffPayouts

    const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "payout.read")
      const part = (filter: PayoutFilter, name: string) => {
        const after = afterOf(visit, name)
        const from = after === undefined ? filter : { ...filter, after: PayoutView.fields.id.make(after) }
        return Effect.map(payouts.list(visit.actor, from, shownAtMost + 1), (rows) => Keyset.pageOf(rows, shownAtMost))
      }
      return payoutsPage(visit, {
        waiting: yield* part({ is_open: true }, "waiting"),
        newest: yield* part({}, "after")
      })
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
