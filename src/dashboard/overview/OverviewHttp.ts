import { DateTime, Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Restrictions } from "../../accounts/restrictions/Restrictions.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { Brand } from "../../brand/Brand.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { Orders } from "../../orders/Orders.ts"
import { TrafficUsage } from "../../orders/traffic/TrafficUsage.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { supportLinks } from "../../pages/SupportLink.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { endingSoon, overviewPage } from "./OverviewPage.ts"

const endingOnPage = 10
const newsOnPage = 3

/** The age of an account that is no longer reminded of an API key. Not everybody needs one. */
const reminded = { days: 14 }

/** The first page of the dashboard. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const apiKeys = yield* ApiKeys
    const notifications = yield* Notifications
    const orders = yield* Orders
    const pages = yield* Pages
    const restrictions = yield* Restrictions
    const [support] = supportLinks(yield* Brand)
    const trafficUsage = yield* TrafficUsage

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { id } = visit.user
      const counts = yield* orders.counts(id, {})
      const ending = yield* orders.list(id, endingSoon, { limit: endingOnPage, offset: 0 })
      const news = yield* notifications.list(id, true, { limit: newsOnPage, offset: 0 })
      const isOld = DateTime.isLessThan(visit.user.created_at, DateTime.subtract(visit.now, reminded))
      const hasKey = isOld || (yield* apiKeys.list(id, { limit: 1, offset: 0 })).total > 0
      const traffic = Option.getOrUndefined(yield* Effect.option(trafficUsage.ofUser(id, "last_30d", {})))
      const restriction = Option.getOrUndefined(yield* restrictions.open(id))
      return overviewPage(visit, { counts, ending, hasKey, news, restriction, support, traffic })
    })

    yield* router.add("GET", yield* pathOf(""), pages.show(show))
  })
)
