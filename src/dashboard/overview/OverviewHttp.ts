import { Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Orders } from "../../orders/Orders.ts"
import { TrafficUsage } from "../../orders/traffic/TrafficUsage.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { overviewPage } from "./OverviewPage.ts"

const endingOnPage = 10

/** The first page of the dashboard. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const orders = yield* Orders
    const pages = yield* Pages
    const trafficUsage = yield* TrafficUsage

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = visit.user
      const counts = yield* orders.counts(id, {})
      const { orders: ending } = yield* orders.list(
        id,
        { proxy_status: "expiring" },
        { limit: endingOnPage, offset: 0 }
      )
      const traffic = Option.getOrUndefined(yield* Effect.option(trafficUsage.ofUser(id, "last_30d", {})))
      return overviewPage(visit, { counts, ending, traffic })
    })

    yield* router.add("GET", yield* pathOf(""), pages.show(show))
  })
)
