import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { needs } from "../../staff/Actor.ts"
import { StaffDisputes } from "../../staff/money/StaffDisputes.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { disputesPage } from "./DisputesPage.ts"

const shownAtMost = 100

/** The page of the disputes. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show } = yield* AdminPages
    const disputes = yield* StaffDisputes

    const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "dispute.read")
      return disputesPage(visit, yield* disputes.list({}, shownAtMost))
    })

    yield* router.add("GET", pathTo("disputes"), show(showAll))
  })
)
