import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { needs } from "../../staff/Actor.ts"
import * as Keyset from "../../staff/Keyset.ts"
import { DisputeView } from "../../staff/money/DisputeView.ts"
import { StaffDisputes } from "../../staff/money/StaffDisputes.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { disputePage, disputesPage } from "./DisputesPage.ts"

/** Limit of the disputes of each part of the page. */
const shownAtMost = 50

const isId = Schema.is(DisputeView.fields.id)

type DisputeFilter = Parameters<StaffDisputes["Service"]["list"]>[0]

/** The disputes of customers. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show } = yield* AdminPages
    const disputes = yield* StaffDisputes

    const showAll = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "dispute.read")
      const part = (filter: DisputeFilter, name: string) => {
        const after = visit.query.get(name)
        const from = isId(after) ? { ...filter, after } : filter
        return Effect.map(disputes.list(from, shownAtMost + 1), (rows) => Keyset.pageOf(rows, shownAtMost))
      }
      return disputesPage(visit, {
        waiting: yield* part({ state: "needs_answer" }, "waiting"),
        newest: yield* part({}, "after")
      })
    })

    const showOne = Effect.fnUntraced(function* (visit: AdminVisit) {
      yield* needs(visit.actor, "dispute.read")
      const { id = "" } = yield* HttpRouter.params
      return disputePage(visit, yield* disputes.get(id))
    })

    yield* router.add("GET", pathTo("disputes"), show(showAll))
    yield* router.add("GET", pathTo("disputes/:id"), show(showOne))
  })
)
